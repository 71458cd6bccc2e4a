/** Reads the files of a test, and creates links to single files. */
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { maskBeginning } from '#shared/masking/masking.ts';
import { deriveTestKey } from '#shared/model/ids.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Artifact, artifacts, getTestArtifactsSpan } from '#shared/model/results/artifact.ts';
import type { ShownFiles } from '#shared/model/results/shown-files.ts';
import type { Services } from '#shared/services.ts';
import { findInlineType, getFileKind, sortByAttachment } from './file-kind.ts';
import { linkTo } from './instance-files.ts';
import { RESULT_LIMITS } from './limits.ts';

/** By attempt, and then in the order in which they were attached. */
export async function listTestFiles(
  { table }: WithTable,
  { testId, ...instance }: OfInstance & { readonly testId: string },
): Promise<Artifact[]> {
  const span = getTestArtifactsSpan({ ...instance, testKey: deriveTestKey(testId) });
  return sortByAttachment(await table.queryAll(artifacts, span));
}

type FileKey = OfInstance & { readonly objectName: string };

const findFile = async ({ table }: WithTable, key: FileKey): Promise<Artifact> =>
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

export interface OpenFile {
  readonly file: Artifact;
  /** The files of the same test that a page can show, in their order. Empty for files of a whole spec file. */
  readonly siblings: readonly Artifact[];
  /** The masked beginning of a text. `undefined` for other files, and if the file could not be read. */
  readonly text: string | undefined;
  /** Whether the file is longer than the text. */
  readonly isCut: boolean;
}

/** Reads what the page of a file shows. Throws 404 for a file that has not been uploaded yet. */
export async function openFile(services: Pick<Services, 'table' | 'artifacts'>, key: FileKey): Promise<OpenFile> {
  const file = await findFile(services, key);
  if (file.bytes === undefined) throw notFound('File');
  const { testId } = file;
  const [files, text] = await Promise.all([
    testId === undefined ? [] : listTestFiles(services, { ...key, testId }),
    getFileKind(file) === 'text' ? readText(services, file) : undefined,
  ]);
  const siblings = files.filter((one) => one.bytes !== undefined && getFileKind(one) !== 'other');
  return { file, siblings, text, isCut: file.bytes > RESULT_LIMITS.shownFile.textCharacters };
}

/** Reads more than is shown, because a secret at the end must be whole to be masked. A file with NUL is no text. */
async function readText(
  { artifacts: store }: Pick<Services, 'artifacts'>,
  file: Artifact,
): Promise<string | undefined> {
  const { textCharacters, maskedBeyond } = RESULT_LIMITS.shownFile;
  const text = await store.textAt(await store.readUrl(linkTo(file)), textCharacters + maskedBeyond);
  return text === undefined || text.includes('\u0000') ? undefined : maskBeginning(text, textCharacters);
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
