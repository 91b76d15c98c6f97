#!/bin/sh
# Start a cluster node at its last position, which --wsrep-recover reads from InnoDB after a kill.
# A node without a position would copy the whole database again, or refuse to start a cluster.
set -eu
position=""
if [ -d /var/lib/mysql/mysql ]; then
    log=$(mariadbd --user=mysql --wsrep-recover --disable-log-error 2>&1 || true)
    position=$(printf '%s\n' "$log" | sed -n 's/.*WSREP: Recovered position: *//p' | tail -n 1)
fi
exec docker-entrypoint.sh mariadbd ${position:+"--wsrep-start-position=$position"} "$@"
