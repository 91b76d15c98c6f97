// Draws the nodes that are taken in each step as an area, below the line of those that can be had; a line marks the present.

const charts = document.querySelectorAll(".chart");
const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

function draw(chart) {
  const { start, step, total, taken, now } = chart.dataset;
  const counts = taken.split(",").map(Number);
  const times = counts.map((_, index) => Number(start) + index * step);
  const axis = { stroke: style("--soft"), grid: { stroke: style("--line2"), width: 1 }, ticks: { show: false }, font: "11px Inter" };
  const day = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
  const stepped = uPlot.paths.stepped({ align: 1 });
  const mark = ({ ctx, bbox, valToPos }) => {
    ctx.fillStyle = style("--now");
    ctx.fillRect(valToPos(Number(now), "x", true), bbox.top, devicePixelRatio, bbox.height);
  };
  chart.replaceChildren();
  new uPlot(
    {
      width: chart.clientWidth,
      height: 150,
      cursor: { points: { show: false } },
      legend: { show: false },
      hooks: { draw: [mark] },
      scales: { y: { range: [0, Math.max(1, Number(total)) * 1.08] } },
      axes: [{ ...axis, size: 26, values: (_, moments) => moments.map((moment) => day.format(moment * 1000)) }, { ...axis, size: 34, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000] }],
      series: [
        {},
        { label: "taken", stroke: style("--lease"), fill: `color-mix(in srgb, ${style("--lease")} 22%, transparent)`, width: 1.5, paths: stepped, points: { show: false } },
        { label: "available", stroke: style("--yes"), width: 1, dash: [4, 4], points: { show: false } },
      ],
    },
    [times, counts, counts.map(() => Number(total))],
    chart,
  );
}

const drawAll = () => charts.forEach(draw);
addEventListener("DOMContentLoaded", drawAll);
if (document.readyState !== "loading" && window.uPlot) drawAll();
let resized;
addEventListener("resize", () => { clearTimeout(resized); resized = setTimeout(drawAll, 150); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
