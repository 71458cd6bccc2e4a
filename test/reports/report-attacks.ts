/**
 * Attacks on the parsers of all formats. They are made from the sample of a format by its syntax: each member or
 * attribute gets hostile values, and its structure is nested, repeated or flooded. So a new format is attacked, too.
 */
import { gzipSync } from 'node:zlib';
import { archive } from '#test/context/trace/archives.ts';
import { listSections, repeatFolder, repeatSections } from './repeated-samples.ts';
import { buildReport, parseDocument, type Sample, type SampleFile } from './sample-documents.ts';

export interface ReportAttack {
  /** The member, attribute or element that is attacked, if there is one. */
  readonly place?: string;
  readonly kind: string;
  readonly build: () => Buffer;
  /** What must happen, beside a valid report or a refusal. */
  readonly expected?: 'refused' | 'same tests';
}

/** The text of a value in JSON, and in an attribute, element or line. */
interface HostileValue {
  readonly json: string;
  readonly plain: string;
}

const text = (content: string): HostileValue => ({
  json: JSON.stringify(content),
  plain: content.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;'),
});
const raw = (json: string, plain = json): HostileValue => ({ json, plain });

/** Stands for bytes that are not UTF-8. */
const NOT_UTF8 = '\u0003';
const INVALID_BYTES = Buffer.from([0xff, 0xfe, 0xc0, 0xed, 0xa0, 0x80]);

const LONG = 20_000;
const DEEP = 2000;

const listHostileValues = (secretPath: string): Readonly<Record<string, HostileValue>> => ({
  'a NUL character': raw('"a\\u0000\u0001b"', 'a\u0000&#0;&#1;b'),
  'half a surrogate pair': raw('"a\\ud800b"', 'a&#xD800;b'),
  'invalid UTF-8': raw(`"a${NOT_UTF8}b"`, `a${NOT_UTF8}b`),
  'characters beyond Unicode': raw('"\\u{110000}"', '&#x110000;&#99999999999;'),
  'escape codes and marks of direction': text('\u001b[2J\u001b]0;x\u0007\u202eabc\u2066'),
  'the name of the prototype': text('__proto__'),
  'the name of the constructor': text('constructor'),
  'a changed prototype': raw(
    '{"__proto__":{"polluted":true},"constructor":{"prototype":{"polluted":true}}}',
    '__proto__',
  ),
  'not a number': raw('NaN'),
  'a negative number': raw('-1'),
  'a huge number': raw('1e308'),
  'a huge negative number': raw('-1e308'),
  'an infinite number': raw('1e999', 'Infinity'),
  'a number of many digits': raw('9'.repeat(400)),
  'a fraction of many digits': raw(`0.${'1'.repeat(60)}`),
  null: raw('null', ''),
  'an empty text': raw('""', ''),
  'an empty object': raw('{}', '{}'),
  'an empty list': raw('[]', '[]'),
  'a list of nulls': raw(`[${Array(100).fill('null').join(',')}]`, '[null]'),
  'a list of lists': raw('[[[]],[{}],"a",1]', '[[]]'),
  'a yes': raw('true'),
  'an absolute path': text(secretPath),
  'an address of a file': text(`file://${secretPath}`),
  'a path above the folder': text(`../../../../../../../..${secretPath}`),
  'a path of Windows': text(`..\\..\\..\\..${secretPath.replaceAll('/', '\\')}`),
  'a path inside the archive with dots': text('a/../../secret.txt'),
  'an address inside the network': text('http://169.254.169.254/latest/meta-data/'),
  'open lists': raw(`${'['.repeat(DEEP)}${']'.repeat(DEEP)}`, '['.repeat(DEEP)),
  'open objects': raw(`${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`, '{'.repeat(DEEP)),
  blanks: text(`${' '.repeat(LONG)}x`),
  'line breaks': text(`${'\n'.repeat(LONG)}x`),
  'separators of names': text(' > :: › / . # @ '.repeat(LONG / 16)),
  brackets: text('([{<'.repeat(LONG / 4)),
  'quoted hooks': text('"before all" hook for "'.repeat(LONG / 20)),
  'lines of a stack': text('    at a (/a/b.js:1:1)\n'.repeat(LONG / 20)),
  'names of attachments': text('[[ATTACHMENT|'.repeat(LONG / 10)),
});

/** All names of members, attributes and elements with text. */
export function listKeys(files: readonly SampleFile[]): string[] {
  const keys = new Set<string>();
  for (const file of files) for (const key of listKeysOf(file.text)) keys.add(key);
  return [...keys].sort();
}

const isXml = (content: string): boolean => /^\s*<|^\ufeff<|^[^{[]{0,3}<\?xml/.test(content);
const ATTRIBUTE = / ([\w:.-]+)="([^"]*)"/g;
const LEAF = /<([\w:.-]+)([^<>]*)>([^<>]*|<!\[CDATA\[.*?\]\]>)<\/\1>/gs;
const TAP_LINE = /^(\s*)(not ok|ok|# Subtest:|#|[A-Za-z_]+:|\d+\.\.)(.*)$/;

function* listKeysOf(content: string): Generator<string, void> {
  if (isXml(content)) {
    for (const [, name = ''] of content.matchAll(ATTRIBUTE)) yield `@${name}`;
    for (const [, name = ''] of content.matchAll(LEAF)) yield name;
    return;
  }
  for (const document of listDocuments(content)) {
    if (typeof document === 'string') {
      const key = TAP_LINE.exec(document)?.[2];
      if (key !== undefined) yield key;
    } else yield* listMembers(document);
  }
}

function* listMembers(value: unknown): Generator<string, void> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (!Array.isArray(value)) yield name;
    yield* listMembers(inner);
  }
}

/** A document, or one for each line. A line that is not JSON is a text. */
function listDocuments(content: string): unknown[] {
  const document = parseDocument(content);
  if (document !== undefined) return [document];
  return content.split('\n').map((line) => (line.startsWith('{') ? (parseDocument(line) ?? line) : line));
}

const PLACE = '\u0004';

/** Replaces each value of a key, or only the first one, and leaves out the others. */
export function replaceValues(content: string, key: string, value: HostileValue, isFirstOnly = false): string {
  let count = 0;
  const next = (): boolean => {
    count += 1;
    return !isFirstOnly || count === 1;
  };
  if (isXml(content)) {
    if (key.startsWith('@'))
      return content.replaceAll(ATTRIBUTE, (whole, name: string) => {
        if (`@${name}` !== key) return whole;
        return next() ? ` ${name}="${value.plain}"` : whole;
      });
    return content.replaceAll(LEAF, (whole, name: string, attributes: string) => {
      if (name !== key) return whole;
      return next() ? `<${name}${attributes}>${value.plain}</${name}>` : whole;
    });
  }
  const replace = (one: unknown): unknown => {
    if (Array.isArray(one)) return one.map(replace);
    if (typeof one !== 'object' || one === null) return one;
    return Object.fromEntries(
      Object.entries(one).map(([name, inner]) => [name, name === key && next() ? PLACE : replace(inner)]),
    );
  };
  const write = (one: unknown): string =>
    typeof one === 'string'
      ? one.replace(TAP_LINE, (whole, before: string, name: string) =>
          name === key && next() ? `${before}${name} ${value.plain}` : whole,
        )
      : JSON.stringify(replace(one)).replaceAll('"\\u0004"', () => value.json);
  return listDocuments(content).map(write).join('\n');
}

function encode(content: string): Buffer {
  const parts = content.split(NOT_UTF8).map((part) => Buffer.from(part));
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [INVALID_BYTES, part])));
}

const edit = ({ files, isFolder }: Sample, change: (content: string) => string): Buffer =>
  buildReport(
    isFolder,
    files.map(({ name, text: content }) => ({ name, text: encode(change(content)) })),
  );

/** Floods the first value of a key. In a folder it does so in one file, since floods in all would take minutes to write. */
function flood(sample: Sample, key: string, value: HostileValue): Buffer {
  const flooded = sample.files.find((file) => listKeys([file]).includes(key))?.text;
  return edit(sample, (content) => (content === flooded ? replaceValues(content, key, value, true) : content));
}

/** Each key of the sample with each hostile value. The report lies in an archive beside a foreign file. */
export function* listValueAttacks(sample: Sample, secretPath: string): Generator<ReportAttack, void> {
  const values = Object.entries(listHostileValues(secretPath));
  for (const key of listKeys(sample.files))
    for (const [kind, value] of values)
      yield { place: key, kind, build: () => edit(sample, (content) => replaceValues(content, key, value)) };
}

/** The names of members that are objects or lists, and of elements of XML. */
export function listContainers(files: readonly SampleFile[]): string[] {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'object' && inner !== null && !Array.isArray(value)) names.add(name);
      visit(inner);
    }
  };
  for (const { text: content } of files) {
    if (isXml(content)) for (const [, name = ''] of content.matchAll(/<(\w[\w:.-]*)/g)) names.add(name);
    else for (const document of listDocuments(content)) visit(document);
  }
  return [...names].sort();
}

/** Members or elements of this name inside each other. */
export function nestValues(content: string, name: string, levels: number): string {
  if (isXml(content)) {
    const open = new RegExp(`<${name}(?=[\\s>/])[^>]*?(/?)>`).exec(content);
    if (!open) return content;
    const start = open[0].replace(/\/>$/, '>');
    return `${content.slice(0, open.index)}${start.repeat(levels)}${content.slice(open.index)}`;
  }
  const isList = new RegExp(`"${name}"\\s*:\\s*\\[`).test(content);
  const [open, close] = isList ? [`[{"${name}":`, '}]'] : [`{"${name}":`, '}'];
  const json = `${open.repeat(levels)}null${close.repeat(levels)}`;
  return replaceValues(content, name, { json, plain: '' }, true);
}

/** Empty elements of this name before the first one, or a list with copies of the first value of a member. */
export function repeatElements(content: string, name: string, bytes: number): string {
  if (isXml(content)) {
    const at = new RegExp(`<${name}(?=[\\s>/])`).exec(content)?.index ?? 0;
    const element = `<${name}/>`;
    return `${content.slice(0, at)}${element.repeat(Math.floor(bytes / element.length))}${content.slice(at)}`;
  }
  const [first = {}] = listDocuments(content).flatMap((document) => findMember(document, name) ?? []);
  const element = JSON.stringify(Array.isArray(first) ? (first[0] ?? {}) : first);
  const elements = Array(Math.max(1, Math.floor(bytes / (element.length + 1)))).fill(element);
  return replaceValues(content, name, { json: `[${elements.join(',')}]`, plain: '' }, true);
}

function findMember(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [key, inner] of Object.entries(value)) {
    const member = key === name && !Array.isArray(value) ? inner : findMember(inner, name);
    if (member !== undefined) return member;
  }
  return undefined;
}

interface AttackSizes {
  /** Of members, attributes and repetitions. */
  readonly many: number;
  readonly levels: number;
}

const ENTITIES = (path: string): string =>
  `<!DOCTYPE a [<!ENTITY a0 "aaaaaaaaaa">${Array.from({ length: 12 }, (_, index) => `<!ENTITY a${index + 1} "${`&a${index};`.repeat(10)}">`).join('')}<!ENTITY file SYSTEM "file://${path}"><!ENTITY % outside SYSTEM "file://${path}">%outside;]>`;

function listMany(many: number): HostileValue {
  const members = Array.from({ length: many }, (_, index) => `"${index}":0`).join(',');
  const attributes = Array.from({ length: many }, (_, index) => `a${index}="`).join('" ');
  return { json: `{${members}}`, plain: `" ${attributes}` };
}

function addEntities(content: string, path: string): string {
  const root = content.search(/<[a-zA-Z]/);
  return `${content.slice(0, root)}${ENTITIES(path)}${content.slice(root)}`;
}

/** About as many as a test takes in most formats. */
const TEST_CHARACTERS = 100;

/** With this share of `many`, a folder has almost as many files as an archive may have. */
const FILES_SHARE = 1 / 12;

/** Structures that need much time or memory if a parser is careless. */
export function* listStructureAttacks(
  sample: Sample,
  secretPath: string,
  { many, levels }: AttackSizes,
): Generator<ReportAttack, void> {
  const first = sample.files[0]?.text ?? '';
  for (const name of listContainers(sample.files))
    yield {
      place: name,
      kind: 'inside itself',
      build: () => edit(sample, (content) => nestValues(content, name, levels)),
    };
  for (const key of listKeys(sample.files))
    yield {
      place: key,
      kind: 'many members or attributes',
      build: () => flood(sample, key, listMany(many)),
    };
  if (isXml(first)) {
    yield {
      kind: 'entities of entities, and of a file, in a document type',
      build: () => edit(sample, (content) => addEntities(content, secretPath)),
      expected: 'same tests',
    };
    for (const key of listKeys(sample.files))
      yield {
        place: key,
        kind: 'entities of entities, and of a file',
        build: () =>
          edit(sample, (content) =>
            addEntities(replaceValues(content, key, { json: '', plain: '&a12;&file;' }), secretPath),
          ),
      };
  }
  const copies = Math.max(2, Math.floor((many * FILES_SHARE) / sample.files.length));
  const times = (content: string) => Math.max(2, Math.ceil((many * TEST_CHARACTERS) / content.length));
  yield {
    kind: 'equal names and ids',
    build: () =>
      sample.isFolder
        ? buildReport(true, [
            ...sample.files,
            ...Array.from({ length: copies }, (_, index) =>
              sample.files.map(({ name, text: content }) => ({ name: `${index}/${name}`, text: content })),
            ).flat(),
          ])
        : Buffer.from([...repeatSections(listSections(first), times(first), false)].join('')),
  };
  yield {
    kind: 'many tests',
    build: () =>
      sample.isFolder
        ? repeatFolder(sample, copies)
        : Buffer.from([...repeatSections(listSections(first), times(first))].join('')),
  };
  yield { kind: 'one long line', build: () => edit(sample, (content) => `${content}\n${'x'.repeat(many * 10)}`) };
}

/** More than is read of a file that is compressed too well. */
const BOMB_BYTES = 9 * 1024 * 1024;

/** The report inside archives and compressed files. */
export function* listArchiveAttacks(sample: Sample): Generator<ReportAttack, void> {
  const report = buildReport(sample.isFolder, sample.files);
  const member = { name: `a/${sample.report}`, content: report };
  for (const name of ['../secret.txt', '..\\secret.txt', 'a/../../secret.txt', '/../secret.txt'])
    yield {
      kind: `an archive with ${name}`,
      build: () => archive([member, { name, content: 'x' }]),
      expected: 'refused',
    };
  for (const name of ['/etc/passwd', 'C:\\secret.txt', '\u0000', '__proto__', 'constructor'])
    yield {
      kind: `an archive with ${JSON.stringify(name)}`,
      build: () => archive([member, { name, content: 'x' }]),
      expected: 'same tests',
    };
  yield {
    kind: 'the same name twice in an archive',
    build: () => archive([member, { ...member, content: 'other' }]),
    expected: 'same tests',
  };
  if (sample.isFolder) return;
  // A reader may stop at the end of its document, and then it refuses nothing.
  const fillBomb = () => Buffer.concat([report, Buffer.alloc(BOMB_BYTES, ' ')]);
  yield { kind: 'a gzip bomb', build: () => gzipSync(fillBomb()) };
  yield { kind: 'a zip bomb', build: () => archive([{ name: sample.report, content: fillBomb() }]) };
  yield {
    kind: 'a member that is larger than its archive says',
    build: () => {
      const bytes = archive([member]);
      // The decompressed size in the local header.
      bytes.writeUInt32LE(10, 22);
      return bytes;
    },
    expected: 'refused',
  };
}
