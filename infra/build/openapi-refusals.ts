/** §5.4, §7 The error responses of the OpenAPI document. Each is a component that operations refer to. */
import * as z from 'zod';
import type { ZodOpenApiResponseObject } from 'zod-openapi';
import type { Declaration, OwnRefusal } from '#shared/platform/declaration.ts';
import { Candidate } from '#shared/results/executions/target-wire.ts';

interface Answer extends Pick<ZodOpenApiResponseObject, 'description' | 'headers'> {
  /** The name of the response in the document, and of its recorded example. */
  readonly name: string;
  readonly status: number;
  readonly schema?: z.ZodType;
}

const RefusedField = z
  .object({
    fieldId: z.string(),
    name: z.string(),
    type: z.enum(['text', 'number', 'option', 'options']).meta({
      description:
        'The form of the value in `customFields`: a text, a number, `{id}` of one of the options, or a list of `{id}`',
    }),
    options: z.array(z.object({ id: z.string(), name: z.string() })),
  })
  .meta({ id: 'RefusedField' });

const ErrorResponse = z
  .object({
    status: z.literal('FAILED'),
    error: z.string().meta({ description: 'What is wrong, and what to do' }),
    code: z.string().optional().meta({
      description:
        'A stable code, present on errors that clients may need to tell apart, such as `AI_CONSENT_REQUIRED` or `ambiguous_target`',
    }),
    candidates: z
      .array(Candidate)
      .optional()
      .meta({ description: 'With the code `ambiguous_target`: what the request matched. Send one of the ids' }),
    fields: z.array(RefusedField).optional().meta({
      description:
        'With the code `tracker_refused`: the fields that the project in the issue tracker requires. Send their values in `customFields`',
    }),
  })
  .meta({ id: 'ErrorResponse' });

const InternalError = ErrorResponse.extend({
  requestId: z.string().optional().meta({
    description:
      'The request id, with which the operator finds the details in the log. Errors of the gateway contain the id in `error`',
  }),
}).meta({ id: 'InternalErrorResponse' });

const RecordingRefusal = ErrorResponse.extend({
  code: z.enum([
    'RUN_CANCELLED',
    'RUN_EXPIRED',
    'PROJECT_DELETED',
    'MISSING_SUITE',
    'MACHINE_NOT_STARTED',
    'UNKNOWN_GROUP',
    'TOO_MANY_GAPS',
  ]),
  message: z.string().meta({ description: 'The same text as `error`, for reporters' }),
  errors: z.array(z.string()),
}).meta({ id: 'RecordingRefusal' });

/** The body of the 413 that API Gateway sends. API Gateway does not allow a custom body for requests above 10 MB. */
const GatewayTooLarge = z.object({ message: z.string() }).meta({ id: 'GatewayTooLarge' });

const RETRY_AFTER = {
  'Retry-After': { description: 'Seconds to wait', required: true, schema: { type: 'string' as const } },
};

const answer = (
  name: string,
  status: number,
  description: string,
  more: Pick<Answer, 'headers' | 'schema'> = {},
): Answer => ({ name, status, description, ...more });

const UNAUTHORIZED = answer(
  'Unauthorized',
  401,
  'Missing or invalid credential. The response is the same for every cause',
  { headers: { 'WWW-Authenticate': { description: 'How to authenticate', schema: { type: 'string' } } } },
);

/** Errors that only some operations have, by their name in declarations. */
const OWN: Readonly<Record<OwnRefusal, Answer>> = {
  unauthorized: UNAUTHORIZED,
  notFound: answer('NotFound', 404, 'The resource does not exist, or belongs to another organization'),
  conflict: answer('Conflict', 409, 'Conflict with the current state; `error` says what to do'),
  aiConsent: answer(
    'AiConsentRequired',
    403,
    'The organization does not let AI tools read its failures; `code` is `AI_CONSENT_REQUIRED`',
  ),
  runHasEnded: answer('RunHasEnded', 422, 'The run has ended and cannot change'),
  runTakesNoMore: answer('RunTakesNoMore', 422, 'The run does not accept the request; `code` says why', {
    schema: RecordingRefusal,
  }),
  storageFull: answer(
    'StorageFull',
    422,
    'The storage of the organization is full; `code` is `STORAGE_FULL`. Results are still recorded, without files',
  ),
};

const KEY_REUSED = answer('KeyReused', 422, 'The `Idempotency-Key` was used for another request');

/** Errors of every operation that requires a credential. */
const CREDENTIAL: readonly Answer[] = [UNAUTHORIZED, answer('Forbidden', 403, 'Authenticated, but not permitted')];

/** Errors that every operation may return. Either a function or API Gateway sends them. */
const ANY: readonly Answer[] = [
  answer('InvalidRequest', 400, 'The request is not valid; `error` says what to change'),
  answer('TooLarge', 413, 'The request or the response is too large; `error` says what to change', {
    schema: z.union([ErrorResponse, GatewayTooLarge]),
  }),
  answer('UriTooLong', 414, 'The URL is longer than the gateway accepts'),
  answer(
    'TooManyRequests',
    429,
    'Too many requests. `code` is `rate_limit` or `monthly_limit` if a limit of the organization is exceeded',
    { headers: RETRY_AFTER },
  ),
  answer('HeadersTooLarge', 431, 'The headers are longer than the gateway accepts'),
  answer('InternalError', 500, 'The service failed', { schema: InternalError }),
  answer('OperationFailed', 502, 'The operation failed without a response. Try again'),
  answer('Unavailable', 503, 'A dependency of the service is unavailable. Try again', { headers: RETRY_AFTER }),
  answer('TookTooLong', 504, 'The operation took too long. Ask for less, or try again'),
];

/** Builds `components.responses`. `examples` contains real responses by the name of the error. */
export function buildRefusalComponents(examples: Readonly<Record<string, unknown>>) {
  const components = [...ANY, ...CREDENTIAL, ...Object.values(OWN), KEY_REUSED].map(
    ({ name, description, headers, schema }) => {
      const example = examples[name];
      const media = { schema: schema ?? ErrorResponse, ...(example === undefined ? {} : { example }) };
      const response: ZodOpenApiResponseObject = {
        description,
        ...(headers ? { headers } : {}),
        content: { 'application/json': media },
      };
      return [name, response] as const;
    },
  );
  return Object.fromEntries(components);
}

export function listRefusals({ credential, refuses, isRepeatable }: Declaration) {
  const ownAnswers = [...refuses.map((refusal) => OWN[refusal]), ...(isRepeatable ? [KEY_REUSED] : [])];
  const answers = [...ANY, ...(credential === 'none' ? [] : CREDENTIAL), ...ownAnswers];
  const references = answers.map(({ status, name }) => [status, { $ref: `#/components/responses/${name}` }]);
  return Object.fromEntries(references);
}
