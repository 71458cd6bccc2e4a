/** Finds the traces that lists of failures link to. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { deriveTestKey } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { ShownFiles } from '#shared/model/results/shown-files.ts';
import { listTestFiles } from './test-files.ts';

interface RecordedTest {
  readonly instanceId: string;
  readonly testId: string;
}

interface LastTracesRequest {
  readonly organizationId: string;
  readonly tests: readonly RecordedTest[];
  /** The rows of the spec files of these tests, which list up to `MODEL_LIMITS.shownTraces` traces each. */
  readonly shown: readonly ShownFiles[];
}

interface Trace {
  readonly objectName: string;
  readonly attempt: number;
}

/**
 * Returns a look-up of the object name of the trace of a test's last attempt, which is `undefined` if it has none. Costs
 * a query for each test of a spec file whose row is full, because the row may lack a trace. Other tests cost nothing.
 */
export async function findLastTraces(
  services: WithTable,
  { organizationId, tests, shown }: LastTracesRequest,
): Promise<(test: RecordedTest) => string | undefined> {
  const shownTraces = new Map(shown.map(({ instanceId, traces }) => [instanceId, toTraces(traces)]));
  const nameByTest = new Map<string, string | undefined>();
  await mapConcurrently(tests, async (test) => {
    const fileTraces = shownTraces.get(test.instanceId) ?? [];
    const isFull = fileTraces.length >= MODEL_LIMITS.shownTraces;
    const traces = isFull
      ? await listTestTraces(services, { organizationId, ...test })
      : pickTracesOfTest(fileTraces, test);
    const lastTrace = traces.toSorted((one, other) => one.attempt - other.attempt).at(-1);
    nameByTest.set(toTestKey(test), lastTrace?.objectName);
  });
  return (test) => nameByTest.get(toTestKey(test));
}

const toTestKey = ({ instanceId, testId }: RecordedTest): string => `${instanceId} ${testId}`;

const toTraces = (traces: ShownFiles['traces']): Trace[] =>
  Object.entries(traces).map(([objectName, attempt]) => ({ objectName, attempt }));

/** The object name of a file begins with the key of its test. */
function pickTracesOfTest(traces: readonly Trace[], { testId }: RecordedTest): Trace[] {
  const testKey = deriveTestKey(testId);
  return traces.filter(({ objectName }) => objectName.startsWith(testKey));
}

/** The traces that have been uploaded. */
async function listTestTraces(
  services: WithTable,
  test: RecordedTest & { readonly organizationId: string },
): Promise<Trace[]> {
  const files = await listTestFiles(services, test);
  return files
    .filter(({ type, bytes }) => type === 'trace' && bytes !== undefined)
    .map(({ objectName, attempt = 0 }) => ({ objectName, attempt }));
}
