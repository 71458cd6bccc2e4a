/** Reads what the page of a file shows: the file, the other files of its test, and the beginning of a text. */
import { notFound } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { maskBeginning } from '#shared/masking/masking.ts';
import { deriveTestKey, extractRunId } from '#shared/model/ids.ts';
import type { Artifact } from '#shared/model/results/artifact.ts';
import { instances } from '#shared/model/results/instance.ts';
import { isStub, testRecords } from '#shared/model/results/test-record.ts';
import { getFileKind } from '#shared/results/instances/file-kind.ts';
import { toReadLink } from '#shared/results/instances/instance-files.ts';
import { type FileKey, findFile, listTestFiles } from '#shared/results/instances/test-files.ts';
import type { Services } from '#shared/services.ts';
import { CONTEXT_LIMITS } from './limits.ts';

export interface OpenFile {
  readonly file: Artifact;
  /** The files of the same test that a page can show, in their order. Empty for files of a whole spec file. */
  readonly siblings: readonly Artifact[];
  /** The name of the test or of the spec file. `undefined` if the test has no record of its own. */
  readonly owner: string | undefined;
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
  const [files, text, owner] = await Promise.all([
    testId === undefined ? [] : listTestFiles(services, { ...key, testId }),
    getFileKind(file) === 'text' ? readText(services, file) : undefined,
    readOwner(services, file),
  ]);
  const siblings = files.filter((sibling) => sibling.bytes !== undefined && getFileKind(sibling) !== 'other');
  return { file, siblings, owner, text, isCut: file.bytes > CONTEXT_LIMITS.shownFile.textCharacters };
}

async function readOwner({ table }: WithTable, file: Artifact): Promise<string | undefined> {
  const { testId, instanceId } = file;
  if (testId === undefined) {
    const runId = extractRunId(instanceId) ?? '';
    return (await table.get(instances, { ...file, runId }))?.spec;
  }
  const record = await table.get(testRecords, { ...file, testKey: deriveTestKey(testId) });
  return record && !isStub(record) ? record.title.at(-1) : undefined;
}

/** Reads more than is shown, because a secret at the end must be whole to be masked. A file with NUL is no text. */
async function readText(
  { artifacts: store }: Pick<Services, 'artifacts'>,
  file: Artifact,
): Promise<string | undefined> {
  const { textCharacters, maskedBeyond } = CONTEXT_LIMITS.shownFile;
  const text = await store.textAt(await store.readUrl(toReadLink(file)), textCharacters + maskedBeyond);
  return text === undefined || text.includes('\u0000') ? undefined : maskBeginning(text, textCharacters);
}
