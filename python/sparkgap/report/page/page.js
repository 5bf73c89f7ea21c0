/* Copyright 2026 the sparkgap authors. SPDX-License-Identifier: Apache-2.0
 *
 * The waterfall: a lane for each slot of an executor. In a column of pixels the height of each colour is the share that
 * the part has in that time; where in a task a part was, a log does not say.
 */
"use strict";

const canvas = document.getElementById("waterfall");
const said = document.getElementById("said");
const choice = document.getElementById("stage");
const shown = JSON.parse(document.getElementById("shown").content.textContent);
const { parts, labels, lanes, stages, wall } = shown;
let tasks = null;
let view = [0, wall];
let colours = [];
let waiting = false;

async function load() {
  const packed = atob(document.getElementById("tasks").content.textContent.trim());
  const bytes = Uint8Array.from(packed, (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  const data = await new Response(stream).arrayBuffer();
  const n = shown.tasks;
  let at = 0;
  const column = (kind, count) => {
    const found = new kind(data, at, count);
    at += Math.ceil((count * kind.BYTES_PER_ELEMENT) / 8) * 8;
    return found;
  };
  tasks = {
    begin: column(Float64Array, n), length: column(Float64Array, n), id: column(Float64Array, n),
    lane: column(Uint32Array, n), stage: column(Uint32Array, n), share: column(Uint8Array, n * parts.length),
    first: column(Uint32Array, lanes.length + 1),
  };
  paint();
  document.documentElement.dataset.ready = Math.round(performance.now());
}

function readColours() {
  const style = getComputedStyle(document.documentElement);
  const rgb = (name) => {
    const hex = style.getPropertyValue(name).trim();
    return [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  };
  colours = [...parts.map((part) => rgb("--" + part)), rgb("--panel")];
}

function heightOfLane() {
  return Math.max(2, Math.min(18, Math.floor(560 / Math.max(1, lanes.length))));
}

function paint() {
  if (!tasks) return;
  const start = performance.now();
  const scale = window.devicePixelRatio || 1;
  const row = Math.max(1, Math.round(heightOfLane() * scale));
  const width = (canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale)));
  const height = (canvas.height = Math.max(1, row * lanes.length));
  canvas.style.height = height / scale + "px";
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  const pixels = new Uint32Array(image.data.buffer);
  const plain = colours.map(([r, g, b]) => (255 << 24) | (b << 16) | (g << 8) | r);
  pixels.fill(plain[parts.length]);
  const cover = new Float32Array(width * parts.length);
  for (let lane = 0; lane < lanes.length; ++lane) {
    cover.fill(0);
    coverLane(lane, cover, width);
    fillLane(pixels, cover, width, lane * row, row, plain);
  }
  context.putImageData(image, 0, 0);
  canvas.dataset.paintMs = (performance.now() - start).toFixed(1);
}

function coverLane(lane, cover, width) {
  const only = Number(choice.value);
  const perPixel = (view[1] - view[0]) / width;
  for (let i = tasks.first[lane]; i < tasks.first[lane + 1]; ++i) {
    const from = (tasks.begin[i] - view[0]) / perPixel;
    const to = from + tasks.length[i] / perPixel;
    if (to <= 0 || from >= width || (only >= 0 && tasks.stage[i] !== only)) continue;
    const last = Math.min(width - 1, Math.ceil(to) - 1);
    for (let x = Math.max(0, Math.floor(from)); x <= last; ++x) {
      const part = Math.min(to, x + 1) - Math.max(from, x);
      if (part <= 0) continue;
      for (let p = 0; p < parts.length; ++p) {
        cover[x * parts.length + p] += (part * tasks.share[i * parts.length + p]) / 255;
      }
    }
  }
}

function fillLane(pixels, cover, width, top, row, plain) {
  const drawn = row > 3 ? row - 1 : row; // a line between lanes
  for (let x = 0; x < width; ++x) {
    let y = top + drawn;
    let filled = 0;
    if (drawn < 5) {
      pixelBlend(pixels, cover, width, x, top, drawn);
      continue;
    }
    for (let p = 0; p < parts.length; ++p) {
      filled += cover[x * parts.length + p];
      const end = top + drawn - Math.round(Math.min(1, filled) * drawn);
      while (y > end) pixels[--y * width + x] = plain[p];
    }
  }
}

function pixelBlend(pixels, cover, width, x, top, drawn) {
  let [r, g, b, rest] = [0, 0, 0, 1];
  for (let p = 0; p <= parts.length; ++p) {
    const part = p < parts.length ? Math.min(rest, cover[x * parts.length + p]) : rest;
    rest -= part;
    r += part * colours[p][0], g += part * colours[p][1], b += part * colours[p][2];
  }
  const mixed = (255 << 24) | (Math.round(b) << 16) | (Math.round(g) << 8) | Math.round(r);
  for (let y = top; y < top + drawn; ++y) pixels[y * width + x] = mixed;
}

function repaint() {
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => { waiting = false; paint(); });
}

function zoom(factor, at = 0.5) {
  const size = Math.min(wall, Math.max(1, (view[1] - view[0]) * factor));
  const middle = view[0] + (view[1] - view[0]) * at;
  const begin = Math.min(Math.max(0, middle - size * at), wall - size);
  view = [begin, begin + size];
  sayView();
  repaint();
}

function move(share) {
  const size = view[1] - view[0];
  const begin = Math.min(Math.max(0, view[0] + share * size), wall - size);
  view = [begin, begin + size];
  sayView();
  repaint();
}

const seconds = (ms) => (ms / 1000).toFixed(ms < 10000 ? 3 : 1) + " s";

function sayView() {
  document.getElementById("from").textContent = seconds(view[0]);
  document.getElementById("to").textContent = seconds(view[1]);
}

function sayTask(event) {
  if (!tasks) return;
  const box = canvas.getBoundingClientRect();
  const lane = Math.floor(((event.clientY - box.top) / box.height) * lanes.length);
  const time = view[0] + ((event.clientX - box.left) / box.width) * (view[1] - view[0]);
  if (lane < 0 || lane >= lanes.length) return;
  for (let i = tasks.first[lane]; i < tasks.first[lane + 1]; ++i) {
    if (tasks.begin[i] > time || tasks.begin[i] + tasks.length[i] < time) continue;
    const own = labels
      .map((label, p) => [label, tasks.share[i * parts.length + p] / 255])
      .filter(([, share]) => share > 0.005)
      .map(([label, share]) => `${label} ${Math.round(100 * share)} %`);
    said.textContent = `Task ${tasks.id[i]} of ${stages[tasks.stage[i]]}, ${lanes[lane]}: from ${seconds(tasks.begin[i])}, ` +
      `${seconds(tasks.length[i])}\n${own.join(", ")}`;
    return;
  }
  said.textContent = `${lanes[lane]}: no task at ${seconds(time)}`;
}

canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  zoom(event.deltaY > 0 ? 1.25 : 0.8, event.offsetX / canvas.clientWidth);
}, { passive: false });
let grabbed = null;
canvas.addEventListener("pointerdown", (event) => { grabbed = event.clientX; canvas.setPointerCapture(event.pointerId); });
canvas.addEventListener("pointerup", () => { grabbed = null; });
canvas.addEventListener("pointermove", (event) => {
  if (grabbed === null) return sayTask(event);
  move((grabbed - event.clientX) / canvas.clientWidth);
  grabbed = event.clientX;
});
canvas.addEventListener("keydown", (event) => {
  const acts = { ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), "+": () => zoom(0.5), "-": () => zoom(2),
    Home: () => zoom(wall) };
  if (acts[event.key]) {
    event.preventDefault();
    acts[event.key]();
  }
});
for (const [id, act] of [["in", () => zoom(0.5)], ["out", () => zoom(2)], ["all", () => zoom(wall)]]) {
  document.getElementById(id).addEventListener("click", act);
}
choice.addEventListener("change", () => {
  const chosen = shown.windows[Number(choice.value)];
  view = chosen && chosen[1] > chosen[0] ? chosen.slice() : [0, wall];
  sayView();
  repaint();
});
window.addEventListener("resize", repaint);
window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColours(); repaint(); });
readColours();
sayView();
load();
