/** The parts of a REST API proxy event (payload version 1.0) that we read. */
export interface ProxyEvent {
  readonly httpMethod: string;
  readonly multiValueHeaders: Readonly<Record<string, string[] | undefined>> | null;
  readonly multiValueQueryStringParameters: Readonly<Record<string, string[] | undefined>> | null;
  readonly pathParameters: Readonly<Record<string, string | undefined>> | null;
  readonly requestContext: {
    readonly requestId: string;
    readonly extendedRequestId?: string | null;
    readonly authorizer?: Readonly<Record<string, unknown>> | null;
  };
  /** The body is text when the event arrives, and parsed JSON after the body parser has run. */
  readonly body: unknown;
  readonly isBase64Encoded: boolean;
}

export interface RouteEvent extends ProxyEvent {
  /** As declared in the API, such as `/{organizationId}`. */
  readonly resource: string;
  /** As the client requested it, without the stage. */
  readonly path: string;
  readonly requestContext: ProxyEvent['requestContext'] & { readonly identity: { readonly sourceIp: string } };
}

/**
 * The id in answers, logs and events. Clients can choose `requestId` by the header `x-amzn-RequestId`, so that they could
 * mix their requests with those of others. Only `sam local` has no extended id.
 */
export const getRequestId = ({ requestContext }: Pick<ProxyEvent, 'requestContext'>): string =>
  requestContext.extendedRequestId ?? requestContext.requestId;

/** Names are case-insensitive, although API Gateway keeps their spelling. Repeated headers are joined with commas. */
export function readHeader(event: Pick<ProxyEvent, 'multiValueHeaders'>, name: string): string | undefined {
  const lowerCaseName = name.toLowerCase();
  const lines = Object.entries(event.multiValueHeaders ?? {}).flatMap(([key, values]) =>
    key.toLowerCase() === lowerCaseName ? (values ?? []) : [],
  );
  return lines.length > 0 ? lines.join(', ') : undefined;
}
