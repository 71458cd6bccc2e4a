/**
 * Proves that a backtracking matcher takes linear time. Weber and Seidl (On the degree of ambiguity of finite automata,
 * 1991) show that the number of ways to read a text is bounded unless the automaton has one of two shapes.
 * - A loop that can read the same text in two ways: the number of ways grows exponentially.
 * - Two loops in sequence, and a text that can be read around the first loop, from the first loop to the second, and
 * around the second loop: the number of ways grows polynomially. The search for the start of a match counts as a first
 * loop.
 *
 * A matcher stops at its first success, so it backtracks only to states after which the match can still fail. Only
 * loops through such states cost time.
 */
import { type Automaton, automatonOf, EDGE, NotUnderstood, type Step } from './automaton.ts';

export type Verdict =
  | { readonly kind: 'linear' }
  | { readonly kind: 'polynomial' | 'exponential' | 'unknown'; readonly why: string };

/**
 * If the proof of an expression visits more than this number of states, it is aborted, and the verdict is `unknown`.
 */
const MAX_VISITS = 3_000_000;

/**
 * Determines whether an expression takes linear time. `onlyExponential` skips the check for polynomial time, which is
 * the slowest part.
 */
export function verdictOn(source: string, flags: string, { onlyExponential = false } = {}): Verdict {
  try {
    const proof = new Proof(automatonOf(source, flags));
    if (proof.isExponential()) return { kind: 'exponential', why: 'a repetition can read the same text in two ways' };
    if (!onlyExponential && proof.isPolynomial())
      return { kind: 'polynomial', why: 'a repetition can read the same text from many beginnings, and then fail' };
    return { kind: 'linear' };
  } catch (error) {
    if (error instanceof NotUnderstood) return { kind: 'unknown', why: error.message };
    throw error;
  }
}

class Proof {
  readonly #automaton: Automaton;
  /**
   * For each state on a loop, the states of that loop. `#loops` considers all states, and `#failing` only those after
   * which the match can still fail.
   */
  readonly #loops: ReadonlyMap<number, ReadonlySet<number>>;
  readonly #failing: ReadonlyMap<number, ReadonlySet<number>>;
  readonly #behind: ReadonlyMap<number, ReadonlySet<number>>;
  /** Caches the target states by state, previous atom and next atom. */
  readonly #ways: (readonly (readonly number[])[] | undefined)[][] = [];
  #visits = 0;

  constructor(automaton: Automaton) {
    this.#automaton = automaton;
    const next = new Map(
      automaton.steps.map((steps, state) => [state, steps.filter(isPossible(automaton, state)).map(({ to }) => to)]),
    );
    const all = [...behindOf(automaton.start, next), automaton.start];
    this.#behind = new Map(all.map((state) => [state, behindOf(state, next)]));
    this.#loops = loopsOf(this.#behind);
    const unsure = all.filter((state) => !automaton.certain.has(state));
    const nextUnsure = new Map(
      unsure.map((state) => [state, next.get(state)?.filter((to) => !automaton.certain.has(to)) ?? []]),
    );
    this.#failing = loopsOf(new Map(unsure.map((state) => [state, behindOf(state, nextUnsure)])));
  }

  isExponential(): boolean {
    const loops = [...this.#failing].filter(([state]) => state !== this.#automaton.search);
    return loops.some(([state, loop]) => this.#reads(state).some((atom) => this.#isTwofold(state, loop, atom)));
  }

  isPolynomial(): boolean {
    for (const [second, failing] of this.#failing) {
      if (second === this.#automaton.search) continue;
      for (const [first, loop] of this.#loops) {
        if (first === second || !this.#behind.get(first)?.has(second)) continue;
        const shared = this.#reads(first).filter((atom) => this.#reads(second).includes(atom));
        if (shared.some((atom) => this.#runsThrough(first, loop, second, failing, atom))) return true;
      }
    }
    return false;
  }

  #reads(state: number): readonly number[] {
    return this.#automaton.reads[state] ?? [];
  }

  /** The states to which `atom` leads from `state`. A state is repeated if there are several ways to it. */
  #after(state: number, previous: number, atom: number): readonly number[] {
    const steps = this.#automaton.steps[state] ?? [];
    const known = this.#ways[state] ?? [];
    this.#ways[state] = known;
    // The previous character only matters if a step has conditions, which is rare.
    const key = steps.some(({ conditions }) => conditions.length > 0) ? previous : 0;
    known[key] ??= Array.from({ length: this.#automaton.atoms }, (_, next) =>
      steps
        .filter(
          ({ to, conditions }) => this.#reads(to).includes(next) && conditions.every((holds) => holds(previous, next)),
        )
        .map(({ to }) => to),
    );
    return known[key]?.[atom] ?? [];
  }

  /** The atoms that lead to a state of the loop. */
  #atomsIn(loop: ReadonlySet<number>): ReadonlySet<number> {
    return new Set([...loop].flatMap((state) => this.#reads(state)));
  }

  /** Whether there are two different ways around the loop, from `state` back to `state`, that read the same text. */
  #isTwofold(state: number, loop: ReadonlySet<number>, last: number): boolean {
    const atoms = [...this.#atomsIn(loop)];
    const next = ([one, other, split, previous]: Node, found: (node: Node) => boolean): boolean =>
      atoms.some((atom) =>
        this.#after(one, previous, atom).some(
          (to, way) =>
            loop.has(to) &&
            this.#after(other, previous, atom).some(
              (also, otherWay) =>
                loop.has(also) &&
                found([to, also, split || (to !== also || (one === other && way !== otherWay) ? 1 : 0), atom]),
            ),
        ),
      );
    return this.#finds([state, state, 0, last], next, [state, state, 1, last]);
  }

  /**
   * Whether one text can be read in three ways: around the first loop, from the first state to the second one, and
   * around the second loop.
   */
  #runsThrough(
    first: number,
    loop: ReadonlySet<number>,
    second: number,
    failing: ReadonlySet<number>,
    last: number,
  ): boolean {
    const inFirst = this.#atomsIn(loop);
    const atoms = [...this.#atomsIn(failing)].filter((atom) => inFirst.has(atom));
    const next = ([round, through, behind, previous]: Node, found: (node: Node) => boolean): boolean =>
      atoms.some((atom) => {
        const rounds = this.#after(round, previous, atom).filter((to) => loop.has(to));
        if (rounds.length === 0) return false;
        const behinds = this.#after(behind, previous, atom).filter((to) => failing.has(to));
        if (behinds.length === 0) return false;
        const throughs = this.#after(through, previous, atom).filter(
          (to) => to === second || this.#behind.get(to)?.has(second),
        );
        return throughs.some((to) => rounds.some((a) => behinds.some((c) => found([a, to, c, atom]))));
      });
    return this.#finds([first, first, second, last], next, [first, second, second, last]);
  }

  #finds(from: Node, next: (node: Node, found: (node: Node) => boolean) => boolean, goal: Node): boolean {
    const size = Math.max(this.#automaton.reads.length, this.#automaton.atoms);
    const keyOf = ([a, b, c, d]: Node) => ((a * size + b) * size + c) * size + d;
    const wanted = keyOf(goal);
    const seen = new Set<number>();
    const open = [from];
    const found = (node: Node): boolean => {
      const key = keyOf(node);
      if (key === wanted) return true;
      if (seen.has(key)) return false;
      seen.add(key);
      if (++this.#visits > MAX_VISITS) throw new NotUnderstood('is too large to prove');
      open.push(node);
      return false;
    };
    for (let node = open.pop(); node; node = open.pop()) if (next(node, found)) return true;
    return false;
  }
}

type Node = readonly [number, number, number, number];

/** Whether there are two adjacent characters for which all conditions of a step hold. */
function isPossible({ reads, start, atoms }: Automaton, from: number): (step: Step) => boolean {
  const before = from === start ? [EDGE] : (reads[from] ?? []);
  return ({ to, conditions }) =>
    atoms > 0 &&
    (reads[to] ?? []).some((next) => before.some((previous) => conditions.every((holds) => holds(previous, next))));
}

type Graph = ReadonlyMap<number, readonly number[]>;

/** The states that are reachable from `state`, including `state` itself if it is on a loop. */
function behindOf(state: number, next: Graph): Set<number> {
  const seen = new Set<number>(next.get(state));
  for (const one of seen) for (const to of next.get(one) ?? []) seen.add(to);
  return seen;
}

/** For each state on a loop, the states that share a loop with it. */
function loopsOf(behind: ReadonlyMap<number, ReadonlySet<number>>): Map<number, Set<number>> {
  const onLoop = [...behind].filter(([state, after]) => after.has(state));
  return new Map(
    onLoop.map(([state, after]) => [
      state,
      new Set(
        onLoop.filter(([other, afterOther]) => after.has(other) && afterOther.has(state)).map(([other]) => other),
      ),
    ]),
  );
}
