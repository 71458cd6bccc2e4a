/** Parses the subset of GraphQL that one operation with variables needs. */

export interface Selection {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly fields: readonly Selection[];
}

export interface Operation {
  readonly kind: string;
  /** The declared types of the variables, such as `String!`. */
  readonly types: Readonly<Record<string, string>>;
  readonly fields: readonly Selection[];
}

/** A variable in the place of a value. */
export class Variable {
  readonly name: string;
  constructor(name: string) {
    this.name = name;
  }
}

/** Throws for a document that is not one operation. */
export function parseOperation(document: string): Operation {
  const tokens = new Tokens(document);
  const kind = tokens.next();
  tokens.next();
  const declared = Object.entries(pairs(tokens, (type) => type));
  const types = Object.fromEntries(declared.map(([name, type]) => [name.slice(1), type]));
  const operation = { kind, types, fields: selections(tokens) };
  if (tokens.peek() !== '') throw new Error('Syntax Error: Expected one operation');
  return operation;
}

class Tokens {
  readonly #all: readonly string[];
  #at = 0;

  constructor(document: string) {
    this.#all = document.match(/[\w$]+!?|[{}():!]|"[^"]*"/g) ?? [];
  }

  peek(): string {
    return this.#all[this.#at] ?? '';
  }

  next(): string {
    const token = this.peek();
    this.#at += 1;
    return token;
  }

  expect(token: string): void {
    const found = this.next();
    if (found !== token) throw new Error(`Syntax Error: Expected ${token}, found ${found}`);
  }
}

/** Reads pairs in parentheses, such as `(id: $id)`, if there are any. */
function pairs<Value>(tokens: Tokens, read: (token: string) => Value): Record<string, Value> {
  const found: Record<string, Value> = {};
  if (tokens.peek() !== '(') return found;
  tokens.expect('(');
  while (tokens.peek() !== ')') {
    const name = tokens.next();
    tokens.expect(':');
    found[name] = read(tokens.next());
  }
  tokens.expect(')');
  return found;
}

function selections(tokens: Tokens): Selection[] {
  const found: Selection[] = [];
  tokens.expect('{');
  while (tokens.peek() !== '}') {
    const name = tokens.next();
    const args = pairs(tokens, literal);
    found.push({ name, args, fields: tokens.peek() === '{' ? selections(tokens) : [] });
  }
  tokens.expect('}');
  return found;
}

const literal = (token: string): unknown => (token.startsWith('$') ? new Variable(token.slice(1)) : JSON.parse(token));
