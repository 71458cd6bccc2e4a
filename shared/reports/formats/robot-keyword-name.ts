/** Writes a keyword or statement of Robot Framework as its log shows it. */

export interface Header {
  readonly type: string;
  readonly name: string;
  /** The condition of a branch or loop, or how a loop takes its values: `IN RANGE`. */
  readonly condition: string;
  /** The names of variables, with their values in an iteration. */
  readonly variables: readonly string[];
  readonly values: readonly string[];
}

/** Types of Robot Framework whose keyword starts the line, as in its log. */
const STATEMENTS: ReadonlySet<string> = new Set(['for', 'while', 'if', 'else if', 'except', 'var', 'return', 'error']);

/** `${sum} = Add: 1, 2`, `FOR ${i} IN RANGE 3`, `${i} = 0`, `IF ${i} == 1` */
export function nameKeyword({ type, name, condition, variables, values }: Header): string {
  const shownVariables = variables.join(', ');
  const shownValues = values.join(', ');
  const word = type.replace(/ root$/, '').toUpperCase();
  if (STATEMENTS.has(type)) {
    const equals = name === '' || shownValues === '' ? '' : '=';
    return [word, shownVariables, condition, name, equals, shownValues].filter(Boolean).join(' ');
  }
  const call = [name, shownValues].filter(Boolean).join(': ');
  return [shownVariables, call].filter(Boolean).join(' = ') || word;
}
