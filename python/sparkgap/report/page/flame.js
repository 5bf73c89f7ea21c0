
/* Flame graphs, the outermost frame on top: a frame is as wide as the share of samples in which it was. A node is
 * [frame, samples, children].
 */
const flame = document.getElementById("flame");
const flames = JSON.parse(document.getElementById("flames").content.textContent);
const graphChoice = document.getElementById("graph");
const frameSaid = document.getElementById("frame");
const SVG = "http://www.w3.org/2000/svg";
const FRAME_PX = 17;
const LETTER_PX = 6.6;
let root = null; // of the chosen graph
let path = []; // from it to what fills the width
let nodes = []; // as drawn: {node, trail, x, y, width}
let focus = 0;

const nameOf = (node) => (node[0] < 0 ? graphChoice.selectedOptions[0].textContent : flames.names[node[0]]);
// The last two parts of a name say most.
const shortName = (node) => (node[0] < 0 ? nameOf(node) : nameOf(node).split(".").slice(-2).join("."));
const colourOf = (node) => {
  const name = nameOf(node);
  if (name.includes("sparkgap")) return "--native";
  if (name.includes("GeneratedClass")) return "--fetch_wait";
  if (name.includes("org.apache.spark") || name.includes("org/apache/spark")) return "--scheduler";
  if (node[0] < 0 || /^(java|jdk|sun|scala)[./]/.test(name)) return "--tail";
  return "--deserialize";
};

function made(kind, attributes, parent) {
  const element = document.createElementNS(SVG, kind);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent.append(element);
  return element;
}

function drawFlame() {
  const width = flame.clientWidth;
  flame.replaceChildren();
  nodes = [];
  const top = path[path.length - 1] || root;
  const place = (node, trail, x, y, size) => {
    if (size < 1) return;
    nodes.push({ node, trail, x, y, width: size });
    let at = x;
    for (const child of node[2]) {
      const own = (size * child[1]) / node[1];
      place(child, [...trail, child], at, y + 1, own);
      at += own;
    }
  };
  [root, ...path].slice(0, -1).forEach((node, depth) => nodes.push({ node, trail: path.slice(0, depth), x: 0, y: depth, width }));
  place(top, path, 0, path.length, width);
  flame.setAttribute("height", FRAME_PX * (1 + Math.max(...nodes.map((each) => each.y))));
  nodes.forEach((each, i) => {
    const group = made("g", { "data-i": i }, flame);
    const fill = `var(${colourOf(each.node)})`;
    const inner = Math.max(0.5, each.width - 0.5);
    made("rect", { x: each.x, y: each.y * FRAME_PX, width: inner, height: FRAME_PX - 1, fill }, group);
    made("title", {}, group).textContent = words(each.node);
    const letters = Math.floor((each.width - 6) / LETTER_PX);
    if (letters > 2) {
      const text = shortName(each.node);
      made("text", { x: each.x + 3, y: each.y * FRAME_PX + 12 }, group).textContent =
        text.length <= letters ? text : text.slice(0, letters - 1) + "…";
    }
  });
  sayFrame(path.length ? path.length : 0);
}

const words = (node) => `${nameOf(node)}: ${node[1]} samples, ${((100 * node[1]) / root[1]).toFixed(1)} %`;

function sayFrame(i) {
  focus = i;
  flame.querySelectorAll("[data-focus]").forEach((group) => group.removeAttribute("data-focus"));
  flame.children[i].dataset.focus = "";
  frameSaid.textContent = words(nodes[i].node);
}

function zoomFlame(i) {
  path = nodes[i].trail;
  drawFlame();
}

function choose() {
  root = flames.graphs[Number(graphChoice.value)].tree;
  path = [];
  drawFlame();
}

/* The nearest frame in the row above or below, or beside it. */
function step(down, right) {
  const from = nodes[focus];
  const beside = nodes
    .map((each, i) => ({ ...each, i }))
    .filter((each) => (down ? each.y === from.y + down && each.x < from.x + from.width && from.x < each.x + each.width
      : each.y === from.y && (each.x - from.x) * right > 0));
  beside.sort((a, b) => (down ? b.width - a.width : Math.abs(a.x - from.x) - Math.abs(b.x - from.x)));
  if (beside.length) sayFrame(beside[0].i);
}

const frameAt = (event) => event.target.closest("g") && Number(event.target.closest("g").dataset.i);
flame.addEventListener("click", (event) => { if (frameAt(event) !== null) zoomFlame(frameAt(event)); });
flame.addEventListener("pointermove", (event) => { if (frameAt(event) !== null) sayFrame(frameAt(event)); });
flame.addEventListener("keydown", (event) => {
  const acts = { ArrowDown: () => step(1, 0), ArrowUp: () => step(-1, 0), ArrowRight: () => step(0, 1),
    ArrowLeft: () => step(0, -1), Enter: () => zoomFlame(focus), Escape: choose };
  if (acts[event.key]) {
    event.preventDefault();
    acts[event.key]();
  }
});
graphChoice.addEventListener("change", choose);
document.getElementById("whole").addEventListener("click", choose);
window.addEventListener("resize", drawFlame);
choose();
