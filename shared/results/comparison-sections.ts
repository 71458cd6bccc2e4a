/** The sections of a comparison: their tests of one page, with names and errors. Reads only what they show. */
import type { Run } from '#shared/model/run.ts';
import type { Services } from '#shared/services.ts';
import { outcomesIn, type Sorted, withGone } from './compare-tests.ts';
import { describeTest, readTests } from './compared-tests.ts';
import type { ComparedTest, ComparisonQuery, RunComparison, Verdict } from './comparison-wire.ts';
import { failingSince } from './failing-since.ts';
import type { Base } from './find-base.ts';
import type { MarkedTest } from './marked-tests.ts';

interface Sides {
  readonly run: Run;
  readonly base: Base | undefined;
  readonly sorted: Sorted;
}

type Asked = Pick<ComparisonQuery, 'verdict' | 'limit' | 'page'> & { readonly room: number | undefined };
type Section = RunComparison['sections'][number];

/** Reads more about the tests, as soon as their names are known. A section may have others in the end. */
export type Beside<Found> = (run: Run, sections: readonly Pick<Section, 'verdict' | 'tests'>[]) => Promise<Found>;

/**
 * The tests that are gone from the failures usually pass. So their names are read at the same time as their results.
 */
export async function readSections<Found>(
  services: Services,
  { run, base, sorted }: Sides,
  asked: Asked,
  beside: Beside<Found>,
): Promise<{ readonly sections: Section[]; readonly found: Found }> {
  const expected = shownIn(withGone(sorted, run, passedAtOnce), asked);
  const still = expected.find(({ verdict }) => verdict === 'still_failing')?.shown ?? [];
  const reading = readTests(services, run, testsIn(expected));
  const [testOf, outcomeOf, sinceOf, found] = await Promise.all([
    reading,
    outcomesIn(services, run, sorted.gone),
    base && still.length > 0 && !base.isChosen ? failingSince(services, base, still) : undefined,
    reading.then((of) =>
      beside(
        run,
        expected.map(({ verdict, shown }) => ({
          verdict,
          tests: shown.flatMap((test) => describeTest(run, of, { verdict, test })),
        })),
      ),
    ),
  ]);
  const pages = shownIn(withGone(sorted, run, outcomeOf), asked);
  const known = new Set(testsIn(expected));
  const others = await readTests(
    services,
    run,
    testsIn(pages).filter((test) => !known.has(test)),
  );
  const sections = pages.map(({ shown, ...section }) => ({
    ...section,
    tests: shown.flatMap((test) =>
      describeTest(run, (of) => testOf(of) ?? others(of), { verdict: section.verdict, test }).map(
        (one): ComparedTest =>
          sinceOf && section.verdict === 'still_failing' ? { ...one, failingSince: sinceOf(test) } : one,
      ),
    ),
  }));
  return { sections, found };
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
