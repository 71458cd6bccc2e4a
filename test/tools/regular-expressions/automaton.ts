/**
 * Builds the automaton of a regular expression. It contains every way in which a backtracking matcher can read a text.
 */
import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp';

/**
 * A number that stands for a set of characters. No part of the expression distinguishes between the characters of the
 * set.
 */
type Atom = number;
/** Stands for the missing character before the first character of the text, and after the last one. */
export const EDGE: Atom = -1;

/** The condition of an assertion on the characters before and after it. */
type Condition = (previous: Atom, next: Atom) => boolean;

export interface Step {
  readonly to: number;
  readonly conditions: readonly Condition[];
}

/**
 * An automaton whose states are the positions in the expression. In a state, the matcher has just read the character at
 * this position.
 */
export interface Automaton {
  readonly atoms: number;
  /** The atoms that lead to each state. */
  readonly reads: readonly (readonly Atom[])[];
  readonly steps: readonly (readonly Step[])[];
  /**
   * `start` is the state before any character has been read, and `search` the state that skips the text before a match.
   */
  readonly start: number;
  readonly search: number;
  /** States in which the match is certain to succeed, whatever characters follow. */
  readonly certain: ReadonlySet<number>;
}

/** If a quantifier allows more optional repetitions than this, it is treated as unlimited. */
const COUNTED_REPETITIONS = 64;
const COUNTED_MINIMUM = 300;
const MAX_STATES = 4000;

export class NotUnderstood extends Error {}

/**
 * A part of the expression, as in Glushkov's construction of an automaton. Duplicate ways are kept, because a matcher
 * tries each of them.
 */
interface Fragment {
  readonly first: readonly Step[];
  readonly last: readonly { readonly from: number; readonly conditions: readonly Condition[] }[];
  /** The ways to pass this part without reading anything. */
  readonly empty: readonly (readonly Condition[])[];
}

const NOTHING: Fragment = { first: [], last: [], empty: [[]] };
const NEVER: Fragment = { first: [], last: [], empty: [] };
/** A condition that the automaton does not evaluate, and that may hold or fail. */
const PERHAPS: Condition = () => true;

export function automatonOf(source: string, flags: string): Automaton {
  const mode = { unicode: flags.includes('u'), unicodeSets: flags.includes('v') };
  const pattern = new RegExpParser().parsePattern(source, 0, source.length, mode);
  return new Construction(flags).build(pattern);
}

/**
 * Whether each repetition has an upper bound. If so, the expression reads a limited number of characters from each
 * start.
 */
export function isBounded(source: string, flags: string): boolean {
  let bounded = true;
  const onQuantifierEnter = ({ max }: AST.Quantifier) => {
    bounded &&= max < Number.POSITIVE_INFINITY;
  };
  visitRegExpAST(new RegExpParser().parseLiteral(`/${source}/${flags}`), { onQuantifierEnter });
  return bounded;
}

class Construction {
  readonly #leaves = new Map<string, RegExp>();
  readonly #reads: string[] = [];
  readonly #steps: Step[][] = [];
  readonly #points = new Set<number>();
  readonly #flags: string;
  #atomsOf: ReadonlyMap<string, ReadonlySet<Atom>> = new Map();

  constructor(flags: string) {
    this.#flags = flags.replaceAll(/[^iusvm]/g, '');
  }

  build(pattern: AST.Pattern): Automaton {
    const search = this.#position('[^]');
    const start = this.#position('[]');
    const whole = this.#alternatives(pattern.alternatives);
    for (const from of [search, start]) this.#steps[from]?.push(...whole.first);
    for (const from of [search, start]) this.#steps[from]?.push({ to: search, conditions: [] });
    const matched = whole.last.filter(({ conditions }) => conditions.length === 0).map(({ from }) => from);
    const atoms = this.#partition();
    return {
      atoms,
      reads: this.#reads.map((leaf) => [...this.#set(leaf)]),
      steps: this.#steps,
      start,
      search,
      certain: new Set(matched),
    };
  }

  #position(leaf: string): number {
    if (this.#reads.length >= MAX_STATES) throw new NotUnderstood('has too many repetitions to be checked');
    this.#leaf(leaf);
    this.#steps.push([]);
    return this.#reads.push(leaf) - 1;
  }

  #leaf(leaf: string): string {
    if (!this.#leaves.has(leaf)) this.#leaves.set(leaf, new RegExp(`^(?:${leaf})$`, this.#flags.replace('m', '')));
    return leaf;
  }

  #set(leaf: string): ReadonlySet<Atom> {
    return this.#atomsOf.get(leaf) ?? new Set();
  }

  /**
   * Divides characters into atoms. Characters belong to the same atom if the same leaves of the expression match them.
   * The JavaScript engine itself determines which leaves match a character.
   */
  #partition(): number {
    const leaves = [...this.#leaves];
    const known = new Map<string, Atom>();
    const atomsOf = new Map(leaves.map(([leaf]) => [leaf, new Set<Atom>()]));
    const ends = this.#flags.includes('u') || this.#flags.includes('v') ? 0x10ffff : 0xffff;
    for (const point of [...COMMON_POINTS, ...this.#points]) {
      if (point < 0 || point > ends) continue;
      const character = String.fromCodePoint(point);
      const matching = leaves.filter(([, leaf]) => leaf.test(character)).map(([leaf]) => leaf);
      const key = matching.join('\n');
      const atom = known.get(key) ?? known.size;
      known.set(key, atom);
      for (const leaf of matching) atomsOf.get(leaf)?.add(atom);
    }
    this.#atomsOf = atomsOf;
    return known.size;
  }

  #alternatives(alternatives: readonly AST.Alternative[]): Fragment {
    const parts = alternatives.map(({ elements }) => this.#sequence(elements.map((element) => this.#element(element))));
    return {
      first: parts.flatMap(({ first }) => first),
      last: parts.flatMap(({ last }) => last),
      empty: fewWays(parts.flatMap(({ empty }) => empty)),
    };
  }

  #sequence(parts: readonly Fragment[]): Fragment {
    return parts.reduceRight((rest, part) => this.#then(part, rest), NOTHING);
  }

  #then(one: Fragment, other: Fragment): Fragment {
    this.#connect(one, other);
    return {
      first: [...one.first, ...after(one.empty, other.first)],
      last: [...other.last, ...after(other.empty, one.last)],
      empty: fewWays(one.empty.flatMap((way) => other.empty.map((next) => [...way, ...next]))),
    };
  }

  #connect(one: Fragment, other: Fragment): void {
    for (const { from, conditions } of one.last)
      for (const step of other.first)
        this.#steps[from]?.push({ to: step.to, conditions: [...conditions, ...step.conditions] });
  }

  #element(element: AST.Element): Fragment {
    switch (element.type) {
      case 'Quantifier':
        return this.#repeated(element);
      case 'Group':
        if (element.modifiers) throw new NotUnderstood('changes its flags inside a group');
        return this.#alternatives(element.alternatives);
      case 'CapturingGroup':
        return this.#alternatives(element.alternatives);
      case 'Character':
      case 'CharacterSet':
      case 'CharacterClass':
      case 'ExpressionCharacterClass':
        return this.#character(element);
      case 'Backreference':
        return this.#reference(element);
      case 'Assertion':
        return this.#assertion(element);
    }
  }

  #character(element: AST.Node): Fragment {
    this.#collectPoints(element);
    const to = this.#position(element.raw);
    return { first: [{ to, conditions: [] }], last: [{ from: to, conditions: [] }], empty: [] };
  }

  #collectPoints(node: AST.Node): void {
    if (node.type === 'Character') this.#addPoint(node.value);
    if (node.type === 'CharacterClassRange') for (const end of [node.min, node.max]) this.#addPoint(end.value);
    if (node.type === 'ClassStringDisjunction') throw new NotUnderstood('has a character class with strings');
    if (node.type === 'CharacterClass') for (const one of node.elements) this.#collectPoints(one);
    if (node.type === 'ExpressionCharacterClass') this.#collectPoints(node.expression);
    if (node.type === 'ClassIntersection' || node.type === 'ClassSubtraction')
      for (const side of [node.left, node.right]) this.#collectPoints(side);
  }

  #addPoint(value: number): void {
    const character = String.fromCodePoint(value);
    const cases = [character.toLowerCase(), character.toUpperCase()].map((text) => text.codePointAt(0) ?? value);
    for (const point of [value - 1, value, value + 1, ...cases]) this.#points.add(point);
  }

  /** Treats a backreference to a group of one character like another character of the same class. */
  #reference({ resolved }: AST.Backreference): Fragment {
    const [group, ...more] = Array.isArray(resolved) ? resolved : [resolved];
    const [alternative, ...others] = group?.alternatives ?? [];
    const [element, ...rest] = alternative?.elements ?? [];
    const isOne = more.length === 0 && others.length === 0 && rest.length === 0;
    if (!isOne || (element?.type !== 'Character' && element?.type !== 'CharacterClass'))
      throw new NotUnderstood('has a backreference to a group of more than one character');
    return this.#character(element);
  }

  #repeated({ element, min, max }: AST.Quantifier): Fragment {
    const isLong = min > COUNTED_MINIMUM;
    const copies = isLong ? 0 : min;
    const optional = max - min > COUNTED_REPETITIONS || isLong ? undefined : max - min;
    let rest = optional === undefined ? this.#loop(element, isLong) : NOTHING;
    for (let count = optional ?? 0; count > 0; count--) {
      const more = this.#then(this.#element(element), rest);
      rest = { ...more, empty: fewWays([[], ...more.empty.filter(({ length }) => length > 0)]) };
    }
    for (let count = copies; count > 0; count--) rest = this.#then(this.#element(element), rest);
    return rest;
  }

  /**
   * Builds an element that is repeated any number of times. As in JavaScript, an iteration that reads nothing ends the
   * loop.
   */
  #loop(element: AST.QuantifiableElement, isLong: boolean): Fragment {
    const body = this.#element(element);
    this.#connect(body, body);
    // The automaton does not count the iterations that a large minimum requires, so it assumes that the match may fail
    // after any of them.
    if (isLong) return { ...body, last: after([[PERHAPS]], body.last), empty: [[PERHAPS]] };
    return { ...body, empty: [[]] };
  }

  #assertion(assertion: AST.Assertion): Fragment {
    switch (assertion.kind) {
      case 'start':
        return this.#edge((previous) => previous);
      case 'end':
        return this.#edge((_, next) => next);
      case 'word': {
        const word = this.#leaf('\\w');
        const { negate } = assertion;
        const isBoundary: Condition = (previous, next) => this.#set(word).has(previous) !== this.#set(word).has(next);
        return { ...NOTHING, empty: [[(previous, next) => isBoundary(previous, next) !== negate]] };
      }
      case 'lookahead':
      case 'lookbehind':
        return this.#lookaround(assertion);
    }
  }

  #edge(side: Condition extends (...given: infer Given) => boolean ? (...given: Given) => Atom : never): Fragment {
    const lineBreak = this.#flags.includes('m') ? this.#leaf('[\\n\\r\\u2028\\u2029]') : undefined;
    const isAtEdge: Condition = (previous, next) => {
      const atom = side(previous, next);
      return atom === EDGE || (lineBreak !== undefined && this.#set(lineBreak).has(atom));
    };
    return { ...NOTHING, empty: [[isAtEdge]] };
  }

  #lookaround(assertion: AST.LookaroundAssertion): Fragment {
    const isAhead = assertion.kind === 'lookahead';
    const condition = this.#neighbour(assertion) ?? PERHAPS;
    const passed: Fragment = { ...NOTHING, empty: [[condition]] };
    if (longest(assertion) < Number.POSITIVE_INFINITY) return passed;
    if (!isAhead) throw new NotUnderstood('has a lookbehind of unlimited length');
    // A lookahead reads characters, but the match then continues at the position before them.
    const ahead = this.#then(this.#alternatives(assertion.alternatives), NEVER);
    return { first: ahead.first, last: [], empty: [[condition]] };
  }

  /** Returns what an assertion requires of the adjacent character, or undefined if that cannot be determined. */
  #neighbour({ kind, negate, alternatives }: AST.LookaroundAssertion): Condition | undefined {
    const known: Condition[] = [];
    for (const { elements } of alternatives) {
      const [element] = kind === 'lookahead' ? elements : elements.slice(-1);
      if (!element || (negate && elements.length > 1)) return undefined;
      const condition = this.#aboutOne(element, kind);
      if (!condition) return undefined;
      known.push(condition);
    }
    return (previous, next) => known.some((one) => one(previous, next)) !== negate;
  }

  #aboutOne(element: AST.Element, kind: 'lookahead' | 'lookbehind'): Condition | undefined {
    if (element.type === 'Assertion' && (element.kind === 'start' || element.kind === 'end'))
      return this.#assertion(element).empty[0]?.[0];
    if (element.type !== 'Character' && element.type !== 'CharacterSet' && element.type !== 'CharacterClass')
      return undefined;
    this.#collectPoints(element);
    const leaf = this.#leaf(element.raw);
    return (previous, next) => this.#set(leaf).has(kind === 'lookahead' ? next : previous);
  }
}

const after = <Way extends { readonly conditions: readonly Condition[] }>(
  ways: readonly (readonly Condition[])[],
  steps: readonly Way[],
): Way[] => ways.flatMap((way) => steps.map((step) => ({ ...step, conditions: [...way, ...step.conditions] })));

/** Limits the number of ways. Two ways are enough to make an expression ambiguous, so more ways make no difference. */
function fewWays(ways: readonly (readonly Condition[])[]): readonly (readonly Condition[])[] {
  const certain = ways.filter(({ length }) => length === 0).slice(0, 2);
  const perhaps = ways.filter(({ length }) => length > 0);
  return [...certain, ...(perhaps.length > 8 ? [[PERHAPS], [PERHAPS]] : perhaps)];
}

/** The maximum number of characters that a part can read. */
function longest(node: AST.Node): number {
  switch (node.type) {
    case 'Assertion':
      return 'alternatives' in node ? Math.max(...node.alternatives.map(longest)) : 0;
    case 'Group':
    case 'CapturingGroup':
      return Math.max(...node.alternatives.map(longest));
    case 'Alternative':
      return node.elements.reduce((sum, element) => sum + longest(element), 0);
    case 'Quantifier':
      return node.max > COUNTED_REPETITIONS ? Number.POSITIVE_INFINITY : node.max * longest(node.element);
    default:
      return 1;
  }
}

/**
 * The characters that are divided into atoms for every expression: Latin letters, Unicode white space, letters with
 * unusual case mappings, and samples of other kinds of characters.
 */
const COMMON_POINTS: readonly number[] = [
  ...Array.from({ length: 0x180 }, (_, point) => point),
  0x1680,
  0x2000,
  0x200a,
  0x200b,
  0x200d,
  0x2028,
  0x2029,
  0x202f,
  0x205f,
  0x20e3,
  0x212a,
  0x2190,
  0x3000,
  0x4e00,
  0xd800,
  0xdc00,
  0xe000,
  0xfe0f,
  0xfeff,
  0xfff9,
  0xffff,
  0x1f3fb,
  0x1f600,
  0x10ffff,
];
