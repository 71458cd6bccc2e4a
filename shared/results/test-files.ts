/** The files of a test, and one file by its name. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { type Artifact, artifacts, artifactsOfTest } from '#shared/model/artifact.ts';
import { testKeyOf } from '#shared/model/ids.ts';
import type { Services } from '#shared/services.ts';
import { linkTo } from './instance-files.ts';

interface InstanceKey {
  readonly organizationId: string;
  readonly instanceId: string;
}

export const filesOfTest = (
  { table }: Pick<Services, 'table'>,
  { testId, ...instance }: InstanceKey & { readonly testId: string },
): Promise<Artifact[]> => table.queryAll(artifacts, artifactsOfTest({ ...instance, testKey: testKeyOf(testId) }));

/** A fresh link to a file. It works for a short time and needs no credential. */
export async function linkToFile(
  services: Pick<Services, 'table' | 'artifacts'>,
  key: InstanceKey & { readonly objectName: string },
): Promise<string> {
  const file = (await services.table.get(artifacts, key)) ?? refuse(notFound('File'));
  return services.artifacts.readUrl(linkTo(file));
}

interface OfTest {
  readonly instanceId: string;
  readonly testId: string;
}

/** The object name of the last trace that arrived, for each of these tests. One trip per test. */
export async function lastTraces(
  services: Pick<Services, 'table'>,
  { organizationId, tests }: { readonly organizationId: string; readonly tests: readonly OfTest[] },
): Promise<(of: OfTest) => string | undefined> {
  const found = await mapConcurrently(tests, async ({ instanceId, testId }) => {
    const files = await filesOfTest(services, { organizationId, instanceId, testId });
    const traces = files.filter(({ type, bytes }) => type === 'trace' && bytes !== undefined);
    const last = traces.toSorted((one, other) => (one.attempt ?? 0) - (other.attempt ?? 0)).at(-1);
    return [`${instanceId} ${testId}`, last?.objectName] as const;
  });
  const names = new Map(found);
  return ({ instanceId, testId }) => names.get(`${instanceId} ${testId}`);
}
