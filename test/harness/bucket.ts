/** Lists the objects in the bucket directly, without calling the service. */
import { Presigner } from '#shared/engine/aws/presigner.ts';

type Environment = Readonly<Record<string, string>>;

/** The sorted object keys. Lists at most 1,000 objects, because S3 returns no more per request. */
export async function keysIn(environment: Environment): Promise<string[]> {
  const presigner = new Presigner(environment['ARTIFACTS_BUCKET'] ?? '', environment);
  const url = await presigner.sign({ method: 'GET', key: '', query: { 'list-type': '2' }, expiresIn: 900 });
  const answer = await fetch(url);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The object store refused to list its objects: ${answer.status} ${text}`);
  return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = '']) => key).sort();
}

/** The object keys of the organization's files, and of its uploads that the service has not confirmed yet. */
export const objectsOf = async ({
  environment,
  organizationId,
}: {
  readonly environment: Environment;
  readonly organizationId: string;
}): Promise<string[]> => (await keysIn(environment)).filter((key) => key.includes(organizationId));
