/** §5.4, §7 The failure answers of the OpenAPI document, written once and referred to by every operation. */
import * as z from 'zod';
import type { ZodOpenApiHeadersObject, ZodOpenApiResponseObject } from 'zod-openapi';
import type { Declaration } from '#shared/declaration.ts';
import { ErrorResponse } from '#shared/envelope.ts';

interface Refusal {
  /** Its name under `components.responses`, which is also that of its recorded example. */
  readonly name: string;
  readonly description: string;
  readonly headers?: ZodOpenApiHeadersObject;
  readonly schema?: z.ZodType;
}

const header = (description: string) => ({ description, schema: { type: 'string' as const } });

const InternalError = ErrorResponse.extend({
  requestId: z.string().meta({ description: 'Names the line of the service log that tells more' }),
}).meta({ id: 'InternalErrorResponse' });

const RecordingRefusal = ErrorResponse.extend({
  code: z.enum(['RUN_CANCELLED', 'RUN_EXPIRED', 'MISSING_SUITE']),
  message: z.string().meta({ description: 'The same as `error`, where reporters look for it' }),
  errors: z.array(z.string()),
}).meta({ id: 'RecordingRefusal' });

const REFUSALS = {
  400: { name: 'InvalidRequest', description: 'Invalid request parameters; `error` names them' },
  401: {
    name: 'Unauthorized',
    description: 'No valid credential. The same answer for every reason',
    headers: { 'WWW-Authenticate': header('How to authenticate') },
  },
  403: { name: 'Forbidden', description: 'Authenticated, but not permitted' },
  404: { name: 'NotFound', description: 'No such thing, or none of this organization' },
  409: { name: 'Conflict', description: 'Not as things are now; `error` says what to do first' },
  413: { name: 'TooLarge', description: 'Too large. Send `Accept-Encoding: gzip`, or ask for less' },
  422: {
    name: 'RunTakesNoMore',
    description: 'The run does not take this; `code` says why',
    schema: RecordingRefusal,
  },
  429: {
    name: 'TooManyRequests',
    description: 'Too many requests',
    headers: { 'Retry-After': header('Seconds to wait') },
  },
  500: { name: 'InternalError', description: 'A fault of the service', schema: InternalError },
} as const satisfies Record<number, Refusal>;

type Status = `${keyof typeof REFUSALS & number}`;

/** Under `components.responses`. `examples`: real answers by the name of the refusal. */
export function refusalComponents(examples: Readonly<Record<string, unknown>>) {
  const components = Object.values<Refusal>(REFUSALS).map(({ name, description, headers, schema }) => {
    const example = examples[name];
    const media = { schema: schema ?? ErrorResponse, ...(example === undefined ? {} : { example }) };
    const response: ZodOpenApiResponseObject = {
      description,
      ...(headers ? { headers } : {}),
      content: { 'application/json': media },
    };
    return [name, response] as const;
  });
  return Object.fromEntries(components);
}

/** References to the failure answers that an operation can give. */
export function refusalsOf({ credential, permission }: Declaration) {
  const statuses: Status[] = ['429', '500'];
  if (credential !== 'none') statuses.push('400', '401', '403', '404', '413');
  if (permission.endsWith(':write')) statuses.push('409');
  if (permission === 'record') statuses.push('422');
  const named = statuses.map((status) => [status, { $ref: `#/components/responses/${REFUSALS[status].name}` }]);
  return Object.fromEntries(named);
}
