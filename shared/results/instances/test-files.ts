/** Reads the files of a test, and creates links to single files. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { deriveTestKey } from '#shared/model/ids.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import { type Artifact, artifacts, getTestArtifactsSpan } from '#shared/model/results/artifact.ts';
import type { Services } from '#shared/services.ts';
import { findInlineType, sortByAttachment } from './file-kind.ts';
import { toReadLink } from './instance-files.ts';

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
    ? services.artifacts.readUrl(toReadLink(file))
    : services.artifacts.showUrl({ ...toReadLink(file), contentType });
}
