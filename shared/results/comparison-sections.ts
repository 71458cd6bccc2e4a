/** The sections of a comparison: their tests of one page, with names and errors. Reads only what they show. */
import { signatureOf } from '#shared/model/ids.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { outcomesIn, type Sorted, withGone } from './compare-tests.ts';
import { describeComparedTest, readComparedTests, type TestOf } from './compared-tests.ts';
import type { ComparedTest, ComparisonQuery, RunComparison, Verdict } from './comparison-wire.ts';
import { failingSince } from './failing-since.ts';
import { type ExecutionsOf, executionsOfTests } from './latest-executions.ts';
import type { MarkedTest } from './marked-tests.ts';

interface Sides {
  readonly run: Run;
  /** The default branch of the project. */
  readonly branch: string;
  readonly sorted: Sorted;
}

type Asked = Pick<ComparisonQuery, 'verdict' | 'limit' | 'page'> & { readonly room: number | undefined };
type Section = RunComparison['sections'][number];

/** Reads more about the tests as soon as their names are known. The final sections may contain other tests. */
export type Beside<Found> = (run: Run, sections: readonly Pick<Section, 'verdict' | 'tests'>[]) => Promise<Found>;

export interface Read<Found> {
  readonly sections: Section[];
  /** The latest executions of the failing tests, up to this run. */
  readonly executionsOf: ExecutionsOf;
  /** The result of `beside`. */
  readonly found: Found;
}

/** The tests of these sections fail now, so people want to know since when. */
export const FAILING: ReadonlySet<Verdict> = new Set(['new', 'still_failing', 'failed']);

/**
 * Reads the sections. Tests that failed in the base and have no mark in the run usually pass. So their names are read
 * at the same time as their results.
 */
export async function readSections<Found>(
  services: Services,
  { run, branch, sorted }: Sides,
  asked: Asked,
  beside: Beside<Found>,
): Promise<Read<Found>> {
  const expected = shownIn(withGone(sorted, run, passedAtOnce), asked);
  const reading = readComparedTests(services, run, testsIn(expected));
  const described = reading.then((testOf) =>
    expected.map(({ verdict, shown }) => ({
      verdict,
      tests: shown.flatMap((test) => describeComparedTest(run, testOf, { verdict, test })),
    })),
  );
  const [testOf, outcomeOf, executionsOf, found] = await Promise.all([
    reading,
    outcomesIn(services, run, sorted.gone),
    reading.then((testOf) => executionsOfFailing(services, run, expected, testOf)),
    described.then((sections) => beside(run, sections)),
  ]);
  const pages = shownIn(withGone(sorted, run, outcomeOf), asked);
  const known = new Set(testsIn(expected));
  const others = await readComparedTests(
    services,
    run,
    testsIn(pages).filter((test) => !known.has(test)),
  );
  const sections = pages.map(({ shown, ...section }) => ({
    ...section,
    tests: shown.flatMap((test) =>
      describeComparedTest(run, (of) => testOf(of) ?? others(of), { verdict: section.verdict, test }).map(
        (one): ComparedTest => {
          if (!FAILING.has(section.verdict)) return one;
          const { groupId } = one;
          const latest = executionsOf(one);
          const since = latest && failingSince(latest, { branch, groupId, runId: run.runId });
          return since ? { ...one, failingSince: since } : one;
        },
      ),
    ),
  }));
  return { sections, executionsOf, found };
}

/** Reads each test up to its own result in the run, because later executions do not concern this run. */
function executionsOfFailing(
  services: Services,
  { organizationId, projectId }: Run,
  pages: readonly Page[],
  testOf: TestOf,
): Promise<ExecutionsOf> {
  const failing = pages.filter(({ verdict }) => FAILING.has(verdict)).flatMap(({ shown }) => shown);
  const tests = failing.flatMap((test) => {
    const known = testOf(test);
    if (!known) return [];
    const { title, finalAt: until } = known;
    return { signature: signatureOf({ organizationId, projectId, spec: test.spec, title }), until };
  });
  return executionsOfTests(services, organizationId, tests);
}

const passedAtOnce = () => ({ outcome: 'passed', flaky: false, retries: 0 }) as const;

interface Page extends Omit<Section, 'tests'> {
  readonly shown: readonly MarkedTest[];
}

const testsIn = (pages: readonly Page[]): MarkedTest[] => pages.flatMap(({ shown }) => shown);

function shownIn(
  byVerdict: readonly (readonly [Verdict, readonly MarkedTest[]])[],
  { verdict: only, limit, page, room = Number.POSITIVE_INFINITY }: Asked,
): Page[] {
  let left = room;
  return byVerdict.map(([verdict, all]) => {
    if (only !== undefined && only !== verdict) return { verdict, total: all.length, nextPage: false, shown: [] };
    const own = all.toSorted(bySpec).slice(page * limit, (page + 1) * limit);
    const shown = own.slice(0, left);
    left -= shown.length;
    const next = (page + 1) * limit < all.length ? page + 1 : false;
    return { verdict, total: all.length, nextPage: shown.length < own.length ? page : next, shown };
  });
}

function bySpec(one: MarkedTest, other: MarkedTest): number {
  const [left = '', right = ''] = [one, other].map(({ spec, groupId, place }) =>
    JSON.stringify([spec, groupId, place]),
  );
  return left < right ? -1 : 1;
}
