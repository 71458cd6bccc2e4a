/**
 * Enforces the permissions of a function's role on the bucket. As in S3, a missing file gives 404 only to a role that
 * may list the bucket, and 403 to other roles.
 */
import * as z from 'zod';
import { isLike, listServiceStatements, textOrTexts } from '#infra/local/template/role-statements.ts';
import type { Stack, StackResource } from '#infra/local/template/stack.ts';

const Allowed = z.strictObject({
  Sid: z.string().optional(),
  Effect: z.literal('Allow'),
  Action: textOrTexts,
  Resource: textOrTexts,
});

const ACTIONS: Readonly<Record<string, string>> = {
  GET: 's3:GetObject',
  HEAD: 's3:GetObject',
  PUT: 's3:PutObject',
  // Starts or completes a multipart upload.
  POST: 's3:PutObject',
  DELETE: 's3:DeleteObject',
};
const REFUSED = 403;
const MISSING = 404;

/** `fetch` with the permissions of a function's role. Requests that clients send to presigned URLs are not checked. */
export function guardFetch(stack: Stack, fn: StackResource, s3Endpoint: string): typeof fetch {
  const [bucket] = stack.resources('AWS::S3::Bucket');
  if (!bucket) throw new Error('The template has no bucket');
  const arn = bucket.attribute('Arn');
  const statements = listServiceStatements('s3', stack, fn).map((statement) => Allowed.parse(statement));
  const may = (action: string, resource: string): boolean =>
    statements.some((one) => one.Action.includes(action) && one.Resource.some((pattern) => isLike(resource, pattern)));
  return async (input, init) => {
    if (!String(input).startsWith(`${s3Endpoint}/`)) return fetch(input, init);
    const action = ACTIONS[init?.method ?? 'GET'];
    const key = getObjectKey(String(input));
    // Without a key, the request lists the bucket.
    const isAllowed = key === '' ? may('s3:ListBucket', arn) : action !== undefined && may(action, `${arn}/${key}`);
    if (!isAllowed) return new Response(null, { status: REFUSED });
    const answer = await fetch(input, init);
    if (answer.status !== MISSING || may('s3:ListBucket', arn)) return answer;
    await answer.body?.cancel();
    return new Response(null, { status: REFUSED });
  };
}

/** The object key of a path-style URL. */
const getObjectKey = (url: string): string => new URL(url).pathname.split('/').slice(2).join('/');
