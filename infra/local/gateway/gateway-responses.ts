/** Gateway responses: those of the API's definition, or API Gateway's defaults. */
import * as z from 'zod';

interface ResponseKind {
  readonly status: number;
  readonly message: string;
  /** The value of the header `x-amzn-ErrorType`. */
  readonly errorType: string;
  /** The response type that API Gateway uses for an error that has no response type of its own. */
  readonly sentAs?: 'DEFAULT_4XX' | 'DEFAULT_5XX';
}

const INTERNAL = { message: 'Internal server error', errorType: 'InternalServerErrorException' };

/** The response types that the local gateway uses, with API Gateway's default status and message. */
const KINDS = {
  ACCESS_DENIED: {
    status: 403,
    message: 'User is not authorized to access this resource',
    errorType: 'AccessDeniedException',
  },
  API_CONFIGURATION_ERROR: { status: 500, ...INTERNAL },
  AUTHORIZER_CONFIGURATION_ERROR: {
    status: 500,
    message: INTERNAL.message,
    errorType: 'AuthorizerConfigurationException',
  },
  AUTHORIZER_FAILURE: { status: 500, message: INTERNAL.message, errorType: 'AuthorizerFailureException' },
  BAD_REQUEST_PARAMETERS: { status: 400, message: 'Bad Request', errorType: 'BadRequestException' },
  INVALID_API_KEY: { status: 403, message: 'Forbidden', errorType: 'ForbiddenException' },
  INTEGRATION_TIMEOUT: { status: 504, message: 'Endpoint request timed out', errorType: INTERNAL.errorType },
  MISSING_AUTHENTICATION_TOKEN: {
    status: 403,
    message: 'Missing Authentication Token',
    errorType: 'MissingAuthenticationTokenException',
  },
  REQUEST_TOO_LARGE: { status: 413, message: 'Request Too Long', errorType: 'RequestTooLargeException' },
  THROTTLED: { status: 429, message: 'Too Many Requests', errorType: 'TooManyRequestsException' },
  UNAUTHORIZED: { status: 401, message: 'Unauthorized', errorType: 'UnauthorizedException' },
  FUNCTION_FAULT: { status: 502, ...INTERNAL, sentAs: 'DEFAULT_5XX' },
  URI_TOO_LONG: {
    status: 414,
    message: 'Request-URI Too Large',
    errorType: 'BadRequestException',
    sentAs: 'DEFAULT_4XX',
  },
  HEADERS_TOO_LARGE: { status: 431, message: 'Request Header Fields Too Large', errorType: 'BadRequestException' },
} as const satisfies Readonly<Record<string, ResponseKind>>;

export type GatewayResponseType = keyof typeof KINDS;

export interface GatewayAnswer {
  readonly status: number;
  readonly headers: ReadonlyArray<readonly [string, string]>;
  readonly body: Buffer;
}

const ResponseDefinition = z.strictObject({
  statusCode: z.coerce.number().optional(),
  responseParameters: z.record(z.string(), z.string()).default({}),
  responseTemplates: z.record(z.string(), z.string()).default({}),
});
type ResponseDefinition = z.infer<typeof ResponseDefinition>;

/** The value of `x-amazon-apigateway-gateway-responses`. */
export const GatewayResponses = z
  .record(z.string(), ResponseDefinition)
  .default({})
  .transform((definitions) => new Map(Object.entries(definitions)));
export type GatewayResponses = ReadonlyMap<string, ResponseDefinition>;

const OWN_TEMPLATE = '{"message":$context.error.messageString}';
const HEADER_PREFIX = 'gatewayresponse.header.';
/** The value of a parameter: a literal in quotes, or a member of the context. */
const PARAMETER = /^(?:'([^']*)'|context\.([\w.]+))$/;

export function refuseUnknownResponses(responses: GatewayResponses): void {
  for (const [type, { responseParameters, responseTemplates }] of responses) {
    const contentTypes = Object.keys(responseTemplates).filter((contentType) => contentType !== 'application/json');
    const parameters = Object.entries(responseParameters)
      .filter(([name, value]) => !name.startsWith(HEADER_PREFIX) || !PARAMETER.test(value))
      .map(([name]) => name);
    const variables = Object.values(responseTemplates).flatMap(
      (template) => template.match(/\$(?!context\.)\w+/) ?? [],
    );
    const [unsupported] = [...contentTypes, ...parameters, ...variables];
    if (unsupported)
      throw new Error(`The gateway response ${type} uses ${unsupported}, which the local runner does not support`);
  }
}

/**
 * `variables` are for templates and headers. `message` replaces API Gateway's text for `$context.error.message`. A type
 * without its own definition uses DEFAULT_4XX or DEFAULT_5XX, whose status, if set, replaces that of the type.
 */
export function renderGatewayAnswer(
  responses: GatewayResponses,
  type: GatewayResponseType,
  variables: Readonly<Record<string, unknown>>,
  message: string = KINDS[type].message,
): GatewayAnswer {
  const kind: ResponseKind = KINDS[type];
  // API Gateway developer guide: "Customizing the default gateway response of 413 REQUEST_TOO_LARGE isn't supported".
  const definition =
    type === 'REQUEST_TOO_LARGE'
      ? undefined
      : (responses.get(type) ?? responses.get(kind.status < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX'));
  const error = { message, messageString: JSON.stringify(message), responseType: kind.sentAs ?? type };
  const context = { ...variables, error };
  const headers = Object.entries(definition?.responseParameters ?? {}).flatMap(([name, value]) => {
    const [, literal, path] = PARAMETER.exec(value) ?? [];
    const headerValue = literal ?? (path === undefined ? undefined : findValue(context, path));
    return headerValue === undefined ? [] : [[name.slice(HEADER_PREFIX.length), headerValue] as const];
  });
  const template = definition?.responseTemplates['application/json'] ?? OWN_TEMPLATE;
  return {
    status: definition?.statusCode ?? kind.status,
    headers: [['Content-Type', 'application/json'], ['x-amzn-ErrorType', kind.errorType], ...headers],
    body: Buffer.from(
      template.replaceAll(/\$context\.([\w.]*\w)/g, (_, path: string) => findValue(context, path) ?? ''),
    ),
  };
}

function findValue(context: Readonly<Record<string, unknown>>, path: string): string | undefined {
  let value: unknown = context;
  for (const key of path.split('.')) {
    value =
      typeof value === 'object' && value !== null
        ? Object.entries(value).find(([name]) => name === key)?.[1]
        : undefined;
  }
  return value === undefined || value === null ? undefined : String(value);
}
