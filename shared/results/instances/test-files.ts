/** Reads the files of a test, and creates links to single files. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { deriveTestKey } from '#shared/model/ids.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Artifact, artifacts, getTestArtifactsSpan } from '#shared/model/results/artifact.ts';
import type { ShownFiles } from '#shared/model/results/shown-files.ts';
import type { Services } from '#shared/services.ts';
import { findInlineType, sortByAttachment } from './file-kind.ts';
import { linkTo } from './instance-files.ts';

/** By attempt, and then in the order in which they were attached. */
export async function listTestFiles(
  { table }: WithTable,
  { testId, ...instance }: OfInstance & { readonly testId: string },
): Promise<Artifact[]> {
  const span = getTestArtifactsSpan({ ...instance, testKey: deriveTestKey(testId) });
  return sortByAttachment(await table.queryAll(artifacts, span));
}

export type FileKey = OfInstance & { readonly objectName: string };

export const findFile = async ({ table }: WithTable, key: FileKey): Promise<Artifact> =>
  (await table.get(artifacts, key)) ?? refuse(notFound('File'));

/**
 * A fresh link to a file. It works for a short time and needs no credential. Pictures and videos open in the browser,
 * unless they are to be downloaded.
 */
export async function linkToFile(
  services: Pick<Services, 'table' | 'artifacts'>,
  key: FileKey,
  { download = false }: { readonly download?: boolean | undefined } = {},
): Promise<string> {
  const file = await findFile(services, key);
  const contentType = findInlineType(file);
  return contentType === undefined || download
    ? services.artifacts.readUrl(linkTo(file))
    : services.artifacts.showUrl({ ...linkTo(file), contentType });
}

interface OfTest {
  readonly instanceId: string;
  readonly testId: string;
}

export type TraceOf = (of: OfTest) => string | undefined;

/**
 * The object name of the trace of the last attempt, if any. Most of them are in `shown`. Costs one query for each test
 * whose spec file has a full row there, because the trace of its last attempt may be missing.
 */
export async function findLastTraces(
  services: WithTable,
  of: { readonly organizationId: string; readonly tests: readonly OfTest[]; readonly shown: readonly ShownFiles[] },
): Promise<TraceOf> {
  const tracesOf = new Map(of.shown.map(({ instanceId, traces }) => [instanceId, Object.entries(traces)]));
  const traceEntries = await mapConcurrently(of.tests, async ({ instanceId, testId }) => {
    const shownTraces = tracesOf.get(instanceId) ?? [];
    const testTraces = shownTraces.filter(([objectName]) => objectName.startsWith(deriveTestKey(testId)));
    const traces =
      shownTraces.length < MODEL_LIMITS.shownTraces
        ? testTraces
        : await listTestTraces(services, { ...of, instanceId, testId });
    const last = traces.toSorted(([, one], [, other]) => one - other).at(-1);
    return [`${instanceId} ${testId}`, last?.[0]] as const;
  });
  const names = new Map(traceEntries);
  return ({ instanceId, testId }) => names.get(`${instanceId} ${testId}`);
}

/** Each with its object name and the number of its attempt. */
async function listTestTraces(
  services: WithTable,
  test: OfTest & { readonly organizationId: string },
): Promise<[string, number][]> {
  const files = await listTestFiles(services, test);
  return files.flatMap(({ type, bytes, objectName, attempt = 0 }) =>
    type === 'trace' && bytes !== undefined ? [[objectName, attempt]] : [],
  );
}
