/** Reads the names that a source file declares, and counts its lines of comments. */
import { parseSync, Visitor } from 'oxc-parser';

export interface Declaration {
  readonly kind: 'function' | 'type' | 'local';
  readonly name: string;
  readonly line: number;
}

export interface SourceNames {
  readonly declarations: readonly Declaration[];
  readonly lines: number;
  /** Lines that have nothing but a comment. */
  readonly commentLines: number;
}

export function readNames(file: string, text: string): SourceNames {
  const { program, comments } = parseSync(file, text);
  const declarations: Declaration[] = [];
  const starts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
  const findLine = (offset: number): number => starts.findLastIndex((start) => start <= offset) + 1;
  const add = (kind: Declaration['kind'], { name, start }: { readonly name: string; readonly start: number }) =>
    declarations.push({ kind, name, line: findLine(start) });

  const topLevel = new Set<number>();
  for (const statement of program.body) {
    const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    if (declaration?.type !== 'VariableDeclaration') continue;
    for (const { id, init } of declaration.declarations) {
      if (id.type !== 'Identifier') continue;
      topLevel.add(id.start);
      const isFunction = init?.type === 'ArrowFunctionExpression' || init?.type === 'FunctionExpression';
      if (isFunction && /^[a-z]/.test(id.name)) add('function', id);
    }
  }

  const addPattern = (pattern: { readonly type: string }): void => {
    const node = pattern as Pattern;
    if (node.type === 'Identifier' && !topLevel.has(node.start)) add('local', node);
    if (node.type === 'AssignmentPattern') addPattern(node.left);
    if (node.type === 'RestElement') addPattern(node.argument);
    if (node.type === 'ArrayPattern') for (const element of node.elements) if (element) addPattern(element);
    // `{ name }` takes the name of a property. `{ name: other }` chooses one.
    if (node.type === 'ObjectPattern') {
      for (const property of node.properties) {
        if (property.type === 'RestElement') addPattern(property);
        else if (!property.shorthand && property.value) addPattern(property.value);
      }
    }
  };
  const addParameters = ({ params }: { readonly params: readonly { readonly type: string }[] }) => {
    for (const parameter of params) addPattern(parameter);
  };
  new Visitor({
    FunctionDeclaration(node) {
      if (node.id && /^[a-z]/.test(node.id.name)) add('function', node.id);
      addParameters(node);
    },
    FunctionExpression: addParameters,
    ArrowFunctionExpression: addParameters,
    VariableDeclarator: ({ id }) => addPattern(id),
    TSTypeAliasDeclaration: ({ id }) => void add('type', id),
    TSInterfaceDeclaration: ({ id }) => void add('type', id),
  }).visit(program);

  const lines = text.split('\n');
  const isComment = new Set<number>();
  for (const { start, end } of comments) {
    const first = findLine(start);
    const last = findLine(end - 1);
    const before = text.slice(starts[first - 1], start).trim();
    const after = text.slice(end, starts[last] ?? text.length).trim();
    for (let line = first; line <= last; line += 1) {
      const sharesLine = (line === first && before !== '') || (line === last && after !== '');
      if (!sharesLine) isComment.add(line);
    }
  }
  return { declarations, lines: lines.length - (lines.at(-1) === '' ? 1 : 0), commentLines: isComment.size };
}

/** The patterns that may bind a name. The parser's types do not name them together. */
type Pattern =
  | { readonly type: 'Identifier'; readonly name: string; readonly start: number }
  | { readonly type: 'AssignmentPattern'; readonly left: { readonly type: string } }
  | { readonly type: 'RestElement'; readonly argument: { readonly type: string } }
  | { readonly type: 'ArrayPattern'; readonly elements: readonly ({ readonly type: string } | null)[] }
  | {
      readonly type: 'ObjectPattern';
      readonly properties: readonly {
        readonly type: string;
        readonly shorthand?: boolean;
        readonly value?: { readonly type: string };
      }[];
    };
