/** Finds the regular expressions in a source file: literals, and places that build an expression from a string. */
import { parseSync, Visitor } from 'oxc-parser';

export interface Found {
  readonly line: number;
  /** Absent if the program builds the expression at run time. */
  readonly literal?: { readonly source: string; readonly flags: string };
}

export function expressionsIn(file: string, text: string): Found[] {
  const found: Found[] = [];
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length;
  const built = ({ callee, start }: { callee: { type: string; name?: unknown }; start: number }) => {
    if (callee.type === 'Identifier' && callee.name === 'RegExp') found.push({ line: lineOf(start) });
  };
  new Visitor({
    Literal(node) {
      if (!('regex' in node)) return;
      const { pattern: source, flags } = node.regex;
      found.push({ line: lineOf(node.start), literal: { source, flags } });
    },
    NewExpression: built,
    CallExpression: built,
  }).visit(parseSync(file, text).program);
  return found;
}
