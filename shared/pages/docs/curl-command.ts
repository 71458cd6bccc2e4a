/** The command with which people try an operation of the API. */
import type { ReferenceOperation } from './reference-wire.ts';

export const JSON_TYPE = 'application/json';

export function buildCurlCommand({ method, url, parameters, requestBody, security }: ReferenceOperation): string {
  const requiredNames = parameters.flatMap(({ name, in: place, required }) =>
    place === 'query' && required ? [name] : [],
  );
  const query = requiredNames.map((name) => `${name}={${name}}`).join('&');
  const address = query === '' ? url : `${url}?${query}`;
  const lines = [method === 'GET' ? `curl '${address}'` : `curl -X ${method} '${address}'`];
  const isPublic = security?.length === 0;
  if (!isPublic) lines.push('-H \'Authorization: Bearer \'"$RUNDOWN_API_KEY"');
  const example = requestBody?.content[JSON_TYPE]?.example;
  if (example !== undefined) lines.push("-H 'Content-Type: application/json'", `-d '${quoteForShell(example)}'`);
  return lines.join(' \\\n  ');
}

const quoteForShell = (example: unknown): string => JSON.stringify(example, null, 2).replaceAll("'", "'\\''");
