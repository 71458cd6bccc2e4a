/** The files of a test, and one file by its name. */
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

/** The object name of the file to which a link leads. */
export const objectNameIn = (link: string): string => new URL(link).pathname.split('/').at(-1) ?? '';
