"""The values of calendars, who may use them, and their form as iCalendar. Start with ``calendars``."""
