/** The beginning of a file, from which its format is recognized. Everything here takes linear time. */

import { parseJson } from '#shared/engine/json.ts';

export interface Head {
  /** Without white space before the first character. */
  readonly text: string;
  /** The name of the root element as it is written. Empty if the file is not XML. */
  readonly rootName: string;
  /** Its name without a namespace prefix. */
  readonly root: string;
  /** The paths of the members of the first JSON value, such as `results.tests` and `*.uri`, where `*` is an element. */
  readonly members: ReadonlySet<string>;
  /** The names of all members at any depth. */
  readonly names: ReadonlySet<string>;
  /** The first lines, and those among them that are JSON objects. */
  readonly lines: readonly string[];
  readonly objects: readonly ReadonlyMap<string, unknown>[];
}

const LINES = 50;

export function readHead(beginning: string): Head {
  const text = beginning.trimStart();
  const rootName = text.startsWith('<') ? findRootName(text) : '';
  const lines = text.split('\n', LINES).map((line) => line.replace(/\r$/, ''));
  const isJson = text.startsWith('{') || text.startsWith('[');
  const { members, names } = isJson ? listMembers(text) : { members: NOTHING, names: NOTHING };
  return {
    text,
    rootName,
    root: rootName.slice(rootName.indexOf(':') + 1),
    members,
    names,
    lines,
    objects: lines.flatMap(parseObject),
  };
}

const NOTHING: ReadonlySet<string> = new Set();

function parseObject(line: string): ReadonlyMap<string, unknown>[] {
  const value = line.trimStart().startsWith('{') ? parseJson(line) : undefined;
  return typeof value === 'object' && value !== null ? [new Map(Object.entries(value))] : [];
}

/** After the declaration or comment that begins at `at`. `undefined` if none begins there, or if it has no end. */
function findEndOfAside(text: string, at: number): number | undefined {
  const after = (end: string, from: number): number | undefined => {
    const index = text.indexOf(end, from);
    return index === -1 ? undefined : index + end.length;
  };
  if (text.startsWith('<?', at)) return after('>', at);
  if (text.startsWith('<!--', at)) return after('-->', at + '<!--'.length);
  if (!/^<!doctype(?! html)/i.test(text.slice(at, at + '<!doctype html'.length))) return undefined;
  const end = after('>', at);
  const entities = text.indexOf('[', at);
  if (entities === -1 || end === undefined || end < entities) return end;
  const behind = after(']', entities);
  return behind && after('>', behind);
}

const ROOT = /^<([!\w][\w.:-]*)/;

function findRootName(text: string): string {
  const isBlank = /\s/;
  for (let at = 0; at < text.length; ) {
    const end = isBlank.test(text.charAt(at)) ? at + 1 : findEndOfAside(text, at);
    if (end === undefined) return ROOT.exec(text.slice(at))?.[1] ?? '';
    at = end;
  }
  return '';
}

/** Deep enough for every recognizer. */
const DEPTH = 5;
const TOKEN = /["{}[\]]/g;
const MEMBER = /"([^"\\]{0,100})"\s*:/y;
const STRING = /"(?:[^"\\]|\\.)*"?/sy;

interface OpenValue {
  /** Its path below the first value. Empty for the first value, and for those that are too deep. */
  readonly path: string;
  readonly isList: boolean;
}

const joinPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

/** Reads the members of the first value, which may be cut. */
function listMembers(text: string): Pick<Head, 'members' | 'names'> {
  const members = new Set<string>();
  const names = new Set<string>();
  const open: OpenValue[] = [];
  let name = '';
  TOKEN.lastIndex = 0;
  for (let token = TOKEN.exec(text); token; token = TOKEN.exec(text)) {
    const [character] = token;
    if (character === '"') {
      MEMBER.lastIndex = token.index;
      const member = MEMBER.exec(text)?.[1];
      if (member !== undefined) {
        name = member;
        names.add(member);
        if (open.length <= DEPTH) members.add(joinPath(open.at(-1)?.path ?? '', member));
      }
      TOKEN.lastIndex = findEndOfString(text, token.index);
    } else if (character === '{' || character === '[') {
      const outer = open.at(-1);
      const isNamed = outer !== undefined && open.length < DEPTH;
      open.push({ path: isNamed ? joinPath(outer.path, outer.isList ? '*' : name) : '', isList: character === '[' });
    } else {
      open.pop();
      if (open.length === 0) break;
    }
  }
  return { members, names };
}

function findEndOfString(text: string, at: number): number {
  STRING.lastIndex = at;
  STRING.exec(text);
  return STRING.lastIndex > at ? STRING.lastIndex : text.length;
}
