/** Sorts the tests of each section of a comparison, and picks those of the requested page. */
import { compareTexts } from '../contains.ts';
import { type Causes, presentCauses } from '../failures/causes.ts';
import type { MarkedTest } from '../failures/marked-tests.ts';
import type { ComparisonQuery, RunComparison, Verdict } from './comparison-wire.ts';

export type SectionsQuery = Pick<ComparisonQuery, 'verdict' | 'cause' | 'limit' | 'page'> & {
  readonly room: number | undefined;
  /** Whether later executions of new failures are to be read, too. */
  readonly withLater?: boolean | undefined;
};
export type Section = RunComparison['sections'][number];

export interface Page extends Omit<Section, 'tests'> {
  readonly shown: readonly MarkedTest[];
}

export const listShownTests = (pages: readonly Page[]): MarkedTest[] => pages.flatMap(({ shown }) => shown);

/** `room`: the maximum number of tests in all sections together. A section that is cut by it continues on the same page. */
export function paginateSections(
  byVerdict: readonly (readonly [Verdict, readonly MarkedTest[]])[],
  causesOf: ReadonlyMap<Verdict, Causes>,
  { verdict: only, cause: onlyCause, limit, page, room = Number.POSITIVE_INFINITY }: SectionsQuery,
): Page[] {
  let left = room;
  return byVerdict.map(([verdict, all]) => {
    const causes = causesOf.get(verdict);
    const head = { verdict, total: all.length, ...(causes && presentCauses(causes)) };
    if (only !== undefined && only !== verdict) return { ...head, nextPage: false, shown: [] };
    const hasCause = (test: MarkedTest) => onlyCause === undefined || causes?.byTest.get(test)?.id === onlyCause;
    const sortedTests = sortByCause(all, causes).filter(hasCause);
    const pageTests = sortedTests.slice(page * limit, (page + 1) * limit);
    const shownTests = pageTests.slice(0, left);
    left -= shownTests.length;
    const isCut = shownTests.length < pageTests.length;
    const hasMore = (page + 1) * limit < sortedTests.length;
    const followingPage = hasMore ? page + 1 : false;
    return { ...head, nextPage: isCut ? page : followingPage, shown: shownTests };
  });
}

/** The order of the tests of a section without causes, and within a cause. */
export const sortMarkedTests = (tests: readonly MarkedTest[]): MarkedTest[] =>
  tests.toSorted((one, other) => compareTexts(makeSortKey(one), makeSortKey(other)));

/** A test of each cause comes first, so that the first page has an example of each. */
function sortByCause(tests: readonly MarkedTest[], causes: Causes | undefined): MarkedTest[] {
  if (!causes) return sortMarkedTests(tests);
  const byCause = causes.all.map((cause) => sortMarkedTests(cause.tests));
  return [
    ...byCause.flatMap(([first]) => first ?? []),
    ...byCause.flatMap(([, ...others]) => others),
    ...sortMarkedTests(tests.filter((test) => !causes.byTest.has(test))),
  ];
}

const makeSortKey = ({ spec, groupId, place }: MarkedTest): string => JSON.stringify([spec, groupId, place]);
