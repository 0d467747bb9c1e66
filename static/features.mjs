// Checks that the page uses nothing that the current releases of Chrome, Firefox and Safari, on computers and phones, do not share. What
// they support is MDN's browser-compat-data, which vendor/package-lock.json pins; `sh check.sh` runs this check after that of the types.
//
// It reads the sources as words, not as a compiler would: of a style sheet the properties, their keywords, functions, selectors, at-rules
// and media features; of a script the names of globals and of members; of a template the elements and attributes. A member is in order if
// any interface that has it is supported, or if a script of ours declares one of that name, since the words do not say of what it is a
// member. So it finds names that only some browsers know, such as scheduler.postTask, content-visibility or anchor-name, and no
// differences in what they do.
//
// Usage: node features.mjs [FILE...]; without files, all sources. Exits with 1 where something is not shared, or an exception is not used.

import fs from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const here = import.meta.dirname;
const data = createRequire(path.join(here, "vendor/package.json"))("@mdn/browser-compat-data");

// exceptions are features that not all browsers have, and what those do without them.
const exceptions = new Map(Object.entries(JSON.parse(fs.readFileSync(path.join(here, "features.json"), "utf8"))));

const browsers = ["chrome", "chrome_android", "firefox", "firefox_android", "safari", "safari_ios"];
const current = Object.fromEntries(browsers.map((b) => [b, Object.entries(data.browsers[b].releases).find(([, r]) => r.status === "current")[0]]));

const number = (version) => version.replace("≤", "").split(".").map(Number);

function notLater(a, b) {
  const [x, y] = [number(a), number(b)];
  for (let i = 0; i < Math.max(x.length, y.length); i++) if ((x[i] ?? 0) !== (y[i] ?? 0)) return (x[i] ?? 0) < (y[i] ?? 0);
  return true;
}

// supports tells whether the current release of a browser has a feature without a flag, a prefix, or another name.
function supports(node, browser) {
  const all = [node.__compat.support[browser] ?? []].flat();
  return all.some((s) => typeof s.version_added === "string" && s.version_added !== "preview" && notLater(s.version_added, current[browser]) && !s.version_removed && !s.flags && !s.prefix && !s.alternative_name);
}

const lacking = (node) => browsers.filter((b) => !supports(node, b));

// judge returns who lacks a feature of which any of some nodes may be meant; null where all have it, or nothing is known of it.
function judge(nodes) {
  const known = nodes.filter((n) => n?.__compat);
  if (known.length === 0) return null;
  const lists = known.map(lacking);
  return lists.some((l) => l.length === 0) ? null : lists.sort((a, b) => a.length - b.length)[0];
}

// byName collects the nodes of a tree by their own names, down to a depth.
function byName(tree, depth, into = new Map()) {
  for (const [name, node] of Object.entries(tree)) {
    if (name === "__compat") continue;
    const key = name.replace(/_(static|event)$/, "");
    into.set(key, [...(into.get(key) ?? []), node]);
    if (depth > 1) byName(node, depth - 1, into);
  }
  return into;
}

const { api, css, html, javascript } = data;
const globals = { ...javascript.builtins, ...api };
const members = new Map();
for (const of of [api, javascript.builtins]) for (const i of Object.values(of)) byName(i, 1, members);
const functions = byName(css.types, 9);
for (const p of Object.values(css.properties)) byName(p, 1, functions);

const found = new Map(); // what is not shared, by name: who lacks it, and where it is

function note(name, nodes, file) {
  const who = judge(nodes);
  if (who) found.set(name, { who, files: new Set([...(found.get(name)?.files ?? []), file]) });
}

function sheet(text, file) {
  text = text.replace(/\/\*[^]*?\*\//g, " ").replace(/"[^"]*"|'[^']*'/g, '""');
  for (const [, name] of text.matchAll(/@([\w-]+)/g)) note(`@${name}`, [css["at-rules"][name]], file);
  for (const [, prelude] of text.matchAll(/@(?:media|container)([^{]*)/g)) {
    for (const [, name] of prelude.matchAll(/\(\s*([\w-]+)/g)) note(`(${name})`, [css["at-rules"].media[name] ?? css["at-rules"].media[name.replace(/^(min|max)-/, "")]], file);
  }
  for (const [, name] of text.matchAll(/::?([\w-]+)(?=[^{};]*\{)/g)) note(`:${name}`, [css.selectors[name]], file);
  for (const [, name, value] of text.matchAll(/[{;]\s*([\w-]+)\s*:([^;{}]*)/g)) {
    note(name, [css.properties[name]], file);
    for (const [word] of value.matchAll(/(?<![-\w])[a-z][\w-]*(?![\w(-])/g)) note(`${name}: ${word}`, [css.properties[name]?.[word]], file);
    for (const [, f] of value.matchAll(/([a-z][\w-]*)\(/g)) note(`${f}()`, functions.get(f) ?? [], file);
  }
}

// plain is a script without comments and strings.
const plain = (text) => text.replace(/\/\*[^]*?\*\//g, " ").replace(/(^|[^:"'`\\])\/\/.*$/gm, "$1").replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/g, '""');

// declared collects the names that scripts declare: members of classes, interfaces and literals, variables, parameters and imports.
function declared(texts) {
  const own = new Set();
  const words = "(?:(?:private|readonly|static|async|get|set|export|const|let|function|type|interface|class) +)*";
  for (const text of texts) {
    const rules = [
      new RegExp(`(?:^|[{,(;|])\\s*(?:\\.\\.\\.)?${words}([a-zA-Z]\\w*)\\??\\s*(?=[:,})=]|$)`, "gm"),
      new RegExp(`^\\s+${words}([a-zA-Z]\\w*)(?:<[^>]*>)?\\(.*\\{\\s*$`, "gm"),
      new RegExp(`\\b(?:const|let|function|class|interface|type) +([a-zA-Z]\\w*)`, "g"),
      new RegExp(`^  ([a-zA-Z]\\w*)\\(.*\\): [^;]*;$`, "gm"),
    ];
    for (const rule of rules) for (const [, name] of text.matchAll(rule)) own.add(name);
  }
  return own;
}

function script(text, own, file) {
  for (const [, name] of text.matchAll(/(?<![\w$.])([A-Za-z]\w*)(?=\s*[.(<]|\s*\))/g)) {
    const nodes = [globals[name], api.Window?.[name], api[name]].filter(Boolean);
    if (nodes.length > 0 && !own.has(name)) note(name, nodes, file);
  }
  for (const [, name] of text.matchAll(/[\w$)\]"]\??\.\s*([a-zA-Z]\w*)/g)) {
    const style = css.properties[name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)];
    const nodes = [...(members.get(name) ?? []), ...(style ? [style] : [])];
    if (nodes.length > 0 && !own.has(name)) note(`.${name}`, nodes, file);
  }
}

function template(text, file) {
  for (const [, tag, rest] of text.matchAll(/<([a-z][a-z0-9]*)((?:\s+[\w-]+\??(?:=(?:"[^"]*"|\{[^}]*\}))?)*)\s*\/?>/g)) {
    note(`<${tag}>`, [html.elements[tag]], file);
    for (const [, name] of rest.replace(/"[^"]*"|\{[^}]*\}/g, "0").matchAll(/\s([a-z-]+)\??(?:=|\s|$)/g)) note(`<${tag} ${name}>`, [html.elements[tag]?.[name] ?? html.global_attributes[name]], file);
  }
}

function sources(dir, ext) {
  return fs.readdirSync(path.join(here, dir), { recursive: true }).filter((f) => f.endsWith(ext) && !f.endsWith(".test.ts") && !f.endsWith("testing.ts")).map((f) => path.join(here, dir, f));
}

const given = process.argv.slice(2);
const files = given.length > 0 ? given : [...sources("css", ".css"), ...sources("src", ".ts"), ...sources("../ui/templates", ".templ")];
const own = declared(sources("src", ".ts").map((f) => plain(fs.readFileSync(f, "utf8"))));
for (const file of files) {
  const text = fs.readFileSync(file, "utf8");
  const name = path.relative(here, file);
  if (file.endsWith(".css")) sheet(text, name);
  else if (file.endsWith(".templ")) template(text, name);
  else script(plain(text), own, name);
}

let faults = 0;
for (const [name, { who, files: where }] of [...found].sort()) {
  if (exceptions.has(name)) continue;
  faults++;
  console.error(`${name} is not in ${who.join(", ")}: ${[...where].join(", ")}; do without it, or add it to features.json with what happens there`);
}
if (given.length === 0) {
  for (const name of exceptions.keys()) {
    if (found.has(name)) continue;
    faults++;
    console.error(`${name} in features.json is in all browsers, or not used: take it out`);
  }
  if (faults === 0) console.log(`features: ${files.length} files use what all of ${browsers.map((b) => `${b} ${current[b]}`).join(", ")} have, with ${exceptions.size} exceptions`);
}
process.exit(faults > 0 ? 1 : 0);
