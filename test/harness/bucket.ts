/** Lists the objects of an organization directly from the store. */
import { Presigner } from '#shared/engine/files/presigner.ts';

/** The keys of its files and of its uploads that are not confirmed yet. */
export async function objectsOf({
  environment,
  organizationId,
}: {
  readonly environment: Readonly<Record<string, string>>;
  readonly organizationId: string;
}): Promise<string[]> {
  const presigner = new Presigner(environment['ARTIFACTS_BUCKET'] ?? '', environment);
  const url = await presigner.sign({ method: 'GET', key: '', query: { 'list-type': '2' }, expiresIn: 900 });
  const answer = await fetch(url);
  const text = await answer.text();
  if (!answer.ok) throw new Error(`The store does not list its objects: ${answer.status} ${text}`);
  return [...text.matchAll(/<Key>([^<]*)<\/Key>/g)]
    .map(([, key = '']) => key)
    .filter((key) => key.includes(organizationId))
    .sort();
}
