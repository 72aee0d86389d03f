#include "tools/command/memory_page.h"

#include "conformance/report/page_style.h"

namespace bp::command {
namespace {

constexpr std::string_view before_style = R"html(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Memory</title>
<style>
)html";

constexpr std::string_view before_data = R"html(
body { height: 100vh; display: flex; flex-direction: column; }
header { padding: 10px 16px; display: flex; gap: 18px; align-items: baseline; flex-wrap: wrap; }
h1 { font-size: 16px; margin: 0; } header span { color: var(--faint); }
header label { cursor: pointer; white-space: nowrap; }
i { display: inline-block; width: 11px; height: 11px; border-radius: 2px; margin: 0 4px -1px 2px; }
input[type=search] { margin-left: auto; padding: 3px 8px; width: 220px; color: inherit; background: var(--panel);
  border: 1px solid var(--line); border-radius: 4px; }
main { flex: 1; display: flex; min-height: 0; }
#picture { flex: 1; position: relative; min-width: 0; } canvas { position: absolute; inset: 0; width: 100%; height: 100%; }
aside { width: 330px; padding: 12px 16px; overflow: auto; background: var(--panel); border-left: 1px solid var(--line);
  overflow-wrap: anywhere; }
aside h2 { font-size: 13px; margin: 0 0 6px; } dl { margin: 0 0 16px; display: grid; grid-template-columns: 72px 1fr; }
dt { color: var(--faint); } dd { margin: 0; } ol { margin: 0; padding: 0; list-style: none; }
li { padding: 2px 0; cursor: pointer; display: flex; gap: 6px; } li b { font-weight: 500; flex: 1; }
@media (max-width: 720px) {
  main { flex-direction: column; } #picture { min-height: 55vh; } aside { width: auto; max-height: 38vh; border: 0;
    border-top: 1px solid var(--line); } input[type=search] { margin-left: 0; width: 100%; }
}
</style></head><body>
<header><h1 id="title"></h1><span id="figures"></span><span id="kinds"></span>
<input id="search" type="search" placeholder="name, op or source"></header>
<main><div id="picture"><canvas id="canvas"></canvas></div>
<aside><div id="details"></div><h2>Live at the peak</h2><ol id="peak"></ol></aside></main>
<script>
"use strict";
const data = )html";

constexpr std::string_view after_data = R"html(;
const kinds = ["temporary", "input", "output", "constant", "copy"];
const peak_colour = "#c026d3", colours = ["#4c84d6", "#4fa36b", "#d98b3a", "#8d7bc4", "#d0505f"];
const shown = [true, false, true, false, true];
const element = id => document.getElementById(id);
const values = data.values.map(v => ({ allocation: v[0], offset: v[1], size: v[2], begin: v[3], end: v[4] + 1, kind: v[5],
  name: v[6], shape: v[7], op: v[8], source: v[9], note: v[10] }));
const last = Math.max(1, data.ticks.length);
const bytes = n => { let unit = 0; const units = ["bytes", "KB", "MB", "GB", "TB"];
  while (n >= 1000 && unit < 4) { n /= 1000; ++unit; } return (unit ? n.toPrecision(3) : n) + " " + units[unit]; };

let bases = [], total = 1, view = null, marked = null, needle = "";

// Allocations stand on each other, as far as something of them is shown.
function stack() {
  total = 0; bases = data.allocations.map(() => -1);
  const used = new Set(values.filter(v => shown[v.kind]).map(v => v.allocation));
  data.allocations.forEach((a, i) => { if (used.has(i)) { bases[i] = total; total += a.size; } });
  total = Math.max(total, 1); view = { x0: 0, x1: last, y0: 0, y1: total };
}
const visible = v => shown[v.kind] && bases[v.allocation] >= 0 && v.size > 0;
const canvas = element("canvas"), paint = canvas.getContext("2d");
const margin = { left: 70, right: 12, top: 96, bottom: 26 };
let width = 0, height = 0;
const plot = () => ({ w: width - margin.left - margin.right, h: height - margin.top - margin.bottom });
const to_x = t => margin.left + (t - view.x0) / (view.x1 - view.x0) * plot().w;
const to_y = b => height - margin.bottom - (b - view.y0) / (view.y1 - view.y0) * plot().h;
const from_x = x => view.x0 + (x - margin.left) / plot().w * (view.x1 - view.x0);
const from_y = y => view.y0 + (height - margin.bottom - y) / plot().h * (view.y1 - view.y0);
const matches = v => needle && (v.name + " " + v.op + " " + v.source).toLowerCase().includes(needle);

function draw() {
  const style = getComputedStyle(document.documentElement), ink = style.getPropertyValue("--ink");
  const line = style.getPropertyValue("--line"), faint = style.getPropertyValue("--faint");
  const scale = window.devicePixelRatio || 1, box = element("picture").getBoundingClientRect();
  width = box.width; height = box.height; canvas.width = width * scale; canvas.height = height * scale;
  paint.setTransform(scale, 0, 0, scale, 0, 0); paint.clearRect(0, 0, width, height); paint.font = "11px system-ui";
  const { w, h } = plot();
  paint.textAlign = "right"; paint.fillStyle = faint; paint.strokeStyle = line;
  for (let i = 0; i <= 6; ++i) {
    const b = view.y0 + (view.y1 - view.y0) * i / 6, y = to_y(b);
    paint.fillText(bytes(Math.round(b)), margin.left - 6, y + 4);
    paint.beginPath(); paint.moveTo(margin.left, y); paint.lineTo(width - margin.right, y); paint.stroke();
  }
  paint.save(); paint.beginPath(); paint.rect(margin.left, margin.top, w, h); paint.clip();
  for (const v of values) {
    if (!visible(v)) continue;
    const low = bases[v.allocation] + v.offset;
    if (v.end < view.x0 || v.begin > view.x1 || low > view.y1 || low + v.size < view.y0) continue;
    const x = to_x(v.begin), y = to_y(low + v.size), dx = Math.max(1, to_x(v.end) - x), dy = Math.max(1, to_y(low) - y);
    paint.globalAlpha = needle && !matches(v) ? 0.15 : 0.85; paint.fillStyle = colours[v.kind];
    paint.fillRect(x, y, dx, dy);
    if (dx > 3 && dy > 3) { paint.globalAlpha = 0.5; paint.strokeStyle = style.getPropertyValue("--paper");
      paint.strokeRect(x + 0.5, y + 0.5, dx - 1, dy - 1); }
    if (dx > 48 && dy > 13) { paint.globalAlpha = 1; paint.fillStyle = "#ffffff"; paint.textAlign = "left"; paint.save();
      paint.beginPath(); paint.rect(x, y, dx - 4, dy); paint.clip();
      paint.fillText(v.name, Math.max(x, margin.left) + 4, y + Math.min(dy / 2 + 4, 14)); paint.restore(); }
  }
  paint.globalAlpha = 1; paint.strokeStyle = faint; paint.setLineDash([2, 4]);
  bases.forEach((base, i) => { if (base < 0) return; const y = to_y(base); paint.beginPath(); paint.moveTo(margin.left, y);
    paint.lineTo(width, y); paint.stroke();
    if (to_y(base) - to_y(base + data.allocations[i].size) > 30) { paint.textAlign = "right"; paint.fillStyle = ink;
      paint.fillText(data.allocations[i].name, width - margin.right - 4, y - 4); } });
  paint.setLineDash([]);
  if (marked) { const low = bases[marked.allocation] + marked.offset; paint.strokeStyle = ink; paint.lineWidth = 2;
    paint.strokeRect(to_x(marked.begin), to_y(low + marked.size), Math.max(2, to_x(marked.end) - to_x(marked.begin)),
      Math.max(2, to_y(low) - to_y(low + marked.size))); paint.lineWidth = 1; }
  paint.restore();
  // The live values, over time.
  const most = data.live.reduce((m, p) => Math.max(m, p[1]), 1), chart = b => 74 - b / most * 58;
  paint.save(); paint.beginPath(); paint.rect(margin.left, 0, w, margin.top); paint.clip();
  paint.beginPath(); paint.moveTo(to_x(0), 74); let level = 0;
  for (const [tick, live] of data.live) { paint.lineTo(to_x(tick), chart(level)); paint.lineTo(to_x(tick), chart(live));
    level = live; }
  paint.lineTo(to_x(last), chart(level)); paint.lineTo(to_x(last), 74); paint.closePath();
  paint.globalAlpha = 0.35; paint.fillStyle = colours[0]; paint.fill(); paint.globalAlpha = 1;
  paint.restore();
  paint.textAlign = "left"; paint.fillStyle = faint; paint.fillText("live temporaries", margin.left, 12);
  paint.textAlign = "right"; paint.fillText(bytes(most), margin.left - 6, 20);
  const peak = to_x(data.peak_tick + 0.5);
  if (peak >= margin.left && peak <= width - margin.right) { paint.strokeStyle = peak_colour; paint.beginPath();
    paint.moveTo(peak, 14); paint.lineTo(peak, height - margin.bottom); paint.stroke(); paint.fillStyle = peak_colour;
    paint.textAlign = peak > width / 2 ? "right" : "left";
    paint.fillText("peak: " + (data.ticks[data.peak_tick] || ""), peak + (peak > width / 2 ? -4 : 4), 90); }
  paint.fillStyle = faint; const count = Math.max(1, Math.floor(w / 150));
  for (let i = 0; i < count; ++i) { const t = Math.floor(view.x0 + (view.x1 - view.x0) * i / count); paint.textAlign = "left";
    paint.fillText(t + "  " + (data.ticks[t] || "").slice(0, 18), to_x(t), height - 9); }
}

function tell(v) {
  const list = element("details"); list.replaceChildren();
  const add = (tag, text, to) => { const e = document.createElement(tag); e.textContent = text; to.append(e); return e; };
  if (!v) { add("p", "Point at a rectangle. The wheel zooms in time, with shift in memory; drag to move; double-click: all.",
    list); return; }
  add("h2", v.name, list); const facts = add("dl", "", list);
  const rows = [["shape", v.shape], ["op", v.op], ["bytes", v.size.toLocaleString() + " (" + bytes(v.size) + ")"],
    ["place", data.allocations[v.allocation].name + " at " + v.offset.toLocaleString()],
    ["made at", v.begin + "  " + (data.ticks[v.begin] || "")], ["last used", v.end - 1 + "  " + (data.ticks[v.end - 1] || "")],
    ["source", v.source], ["why", v.note]];
  for (const [what, text] of rows) if (text) { add("dt", what, facts); add("dd", text, facts); }
}
function at(x, y) {
  const t = from_x(x), b = from_y(y);
  for (let i = values.length; i-- > 0;) { const v = values[i]; if (!visible(v)) continue;
    const low = bases[v.allocation] + v.offset;
    if (v.begin <= t && t < v.end && low <= b && b < low + v.size) return v; }
  return null;
}
let drag = null, pinned = false;
canvas.onmousemove = e => {
  if (drag) { const { w, h } = plot(), dx = (e.offsetX - drag.x) / w * (drag.x1 - drag.x0),
    dy = (e.offsetY - drag.y) / h * (drag.y1 - drag.y0);
    view = { x0: drag.x0 - dx, x1: drag.x1 - dx, y0: drag.y0 + dy, y1: drag.y1 + dy }; draw(); return; }
  if (pinned) return; const v = at(e.offsetX, e.offsetY); if (v !== marked) { marked = v; tell(v); draw(); } };
canvas.onmousedown = e => { drag = { x: e.offsetX, y: e.offsetY, ...view }; };
window.onmouseup = e => { if (drag && e.target === canvas && Math.abs(e.offsetX - drag.x) + Math.abs(e.offsetY - drag.y) < 4) {
  marked = at(e.offsetX, e.offsetY); pinned = !!marked; tell(marked); draw(); } drag = null; };
canvas.ondblclick = () => { stack(); draw(); };
canvas.onwheel = e => { e.preventDefault(); const factor = Math.exp(e.deltaY / 500);
  if (e.shiftKey) { const b = from_y(e.offsetY); view.y0 = b + (view.y0 - b) * factor; view.y1 = b + (view.y1 - b) * factor; }
  else { const t = from_x(e.offsetX); view.x0 = t + (view.x0 - t) * factor; view.x1 = t + (view.x1 - t) * factor; } draw(); };
element("search").oninput = e => { needle = e.target.value.toLowerCase(); draw(); };
window.onresize = draw;
element("title").textContent = data.title; element("figures").textContent = data.figures;
kinds.forEach((kind, i) => { const label = document.createElement("label"), box = document.createElement("input"),
  colour = document.createElement("i"); box.type = "checkbox"; box.checked = shown[i]; colour.style.background = colours[i];
  box.onchange = () => { shown[i] = box.checked; stack(); draw(); };
  label.append(box, colour, kind + "  "); element("kinds").append(label); });
values.filter(v => v.begin <= data.peak_tick && data.peak_tick < v.end && v.size && (v.kind === 0 || v.kind === 4))
  .sort((a, b) => b.size - a.size).slice(0, 50).forEach(v => { const item = document.createElement("li"),
    name = document.createElement("b"); name.textContent = v.name; item.append(name, bytes(v.size));
    item.onclick = () => { marked = v; pinned = true; tell(v); draw(); }; element("peak").append(item); });
stack(); tell(null); draw();
</script></body></html>
)html";

}  // namespace

std::string memory_page(const boost::json::object &data) {
  std::string json = boost::json::serialize(data);
  // Names come from the model: none may end the script element.
  for (std::size_t at = 0; (at = json.find('<', at)) != std::string::npos; at += 6) {
    json.replace(at, 1, "\\u003c");
  }
  return std::string(before_style) + std::string(conformance::page_style) + std::string(before_data) + json +
         std::string(after_data);
}

}  // namespace bp::command
