/** Reads YAML as plain data, and finds the line of each value. */
import { isMap, isScalar, isSeq, Lexer, LineCounter, parseDocument, visit } from 'yaml';
import { invalidRequest } from '#shared/engine/errors.ts';
import { SETTINGS_FILE_LIMITS } from './limits.ts';
import { FileProblems, type Path } from './problems.ts';

/** `file` is the name that problems show. `problems` finds the line of each problem that is added to it. */
export function readYaml(text: string, file: string): { readonly value: unknown; readonly problems: FileProblems } {
  if (Buffer.byteLength(text) > SETTINGS_FILE_LIMITS.bytes)
    throw invalidRequest(
      `${file} has more than ${SETTINGS_FILE_LIMITS.bytes} bytes. Put its projects into several files`,
    );
  const lines = new LineCounter();
  refuseDepth(text, file);
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    uniqueKeys: false,
    stringKeys: true,
    schema: 'core',
    merge: false,
  });
  const lineAt = (offset: number): number => Math.max(1, lines.linePos(offset).line);
  const problems = new FileProblems(file, (path) => lineAt(findOffset(document.contents, path)));
  // Warnings are about tags and directives that have no effect.
  for (const { message, pos } of [...document.errors, ...document.warnings]) problems.addAt(lineAt(pos[0]), message);
  visit(document, {
    Alias: (_, { range }) => {
      problems.addAt(lineAt(range?.[0] ?? 0), 'Aliases are not supported. Write the value itself in each place');
      return visit.BREAK;
    },
    // The check of the library compares each name with all others, which takes minutes for a large file.
    Map: (_, { items }) => {
      const names = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (names.has(key.value))
          problems.addAt(lineAt(key.range?.[0] ?? 0), `${String(key.value)}: occurs twice. Remove one of the two`);
        names.add(key.value);
      }
    },
  });
  problems.refuse();
  return { value: document.toJS({ maxAliasCount: 0 }), problems };
}

/** Refuses nesting that would exhaust the stack of the parser. An edited export is never nested so deeply. */
function refuseDepth(text: string, file: string): void {
  const { nesting, indentation } = SETTINGS_FILE_LIMITS;
  let brackets = 0;
  /** The number of indicators in a row, as in `- - - x`, each of which begins a nested block. */
  let indicators = 0;
  let isFirst = true;
  for (const token of new Lexer().lex(text)) {
    const isSpace = token.startsWith(' ');
    if (token === '[' || token === '{') brackets += 1;
    if (token === ']' || token === '}') brackets -= 1;
    if (token === '-' || token === '?' || token === ':') indicators += 1;
    else if (!isSpace) indicators = 0;
    if (brackets > nesting || indicators > nesting || (isFirst && isSpace && token.length > indentation))
      throw invalidRequest(`${file} is nested too deeply. Use the same structure as in an exported settings file`);
    isFirst = token === '\n' || token === '\r\n';
  }
}

/** The position of the value at this path, or of its nearest parent. */
function findOffset(root: unknown, path: Path): number {
  let node = root;
  let offset = findStart(root) ?? 0;
  for (const name of path) {
    const pair = isMap(node) ? node.items.find(({ key }) => isScalar(key) && key.value === name) : undefined;
    node = isSeq(node) && typeof name === 'number' ? node.items[name] : pair?.value;
    offset = findStart(pair?.key) ?? findStart(node) ?? offset;
  }
  return offset;
}

function findStart(node: unknown): number | undefined {
  return isMap(node) || isSeq(node) || isScalar(node) ? (node.range?.[0] ?? undefined) : undefined;
}
