/** Asks the service which failures of the run are new. */
import { isObject } from '../settings/json.ts';
import type { Connection } from './connection.ts';
import type { FailedTest, NewFailures } from './recording-result.ts';

/** The number of new failures that the recorder asks for, which is as many as the summary of a CI job lists. */
export const NAMED_FAILURES = 20;
const LONGEST_WAIT = 5000;

/** Waits at most five seconds. The answer names the first new failures of the run, some perhaps of other machines. */
export async function readNewFailures(
  connection: Connection,
  runId: string,
  failedTests: readonly FailedTest[],
): Promise<NewFailures | undefined> {
  try {
    const path = `/runs/${runId}/comparison?verdict=new&limit=${NAMED_FAILURES}`;
    const { base, isWhole, sections } = await connection.get(path, LONGEST_WAIT);
    if (base === null || base === undefined || !Array.isArray(sections)) return undefined;
    const sectionOf = (name: string) => sections.filter(isObject).find(({ verdict }) => verdict === name) ?? {};
    const { total, tests = [] } = sectionOf('new');
    const count = Number(total);
    if (!Array.isArray(tests) || !Number.isInteger(count)) return undefined;
    const names = new Set(tests.map(({ groupId, spec, title }) => JSON.stringify([groupId, spec, title])));
    const ownTests = failedTests.filter(({ group, spec, title }) => names.has(JSON.stringify([group, spec, title])));
    const areAllNamed = tests.length === count;
    const areAllOwn = count + Number(sectionOf('still_failing')['total']) === failedTests.length;
    return {
      tests: ownTests,
      count: areAllNamed ? ownTests.length : count,
      mayBeMore: isWhole === false,
      areOfRun: !(areAllNamed || areAllOwn),
    };
  } catch {
    return undefined;
  }
}
