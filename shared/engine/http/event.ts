/** The parts of a REST API proxy event (payload version 1.0) that we read. */
export interface ProxyEvent {
  readonly httpMethod: string;
  readonly multiValueHeaders: Readonly<Record<string, string[] | undefined>> | null;
  readonly multiValueQueryStringParameters: Readonly<Record<string, string[] | undefined>> | null;
  readonly pathParameters: Readonly<Record<string, string | undefined>> | null;
  readonly requestContext: {
    readonly requestId: string;
    readonly authorizer?: Readonly<Record<string, unknown>> | null;
  };
  /** The body is text when the event arrives, and parsed JSON after the body parser has run. */
  readonly body: unknown;
  readonly isBase64Encoded: boolean;
}

/** The event that a function with several routes receives. */
export interface RouteEvent extends ProxyEvent {
  /** The path as declared in the API, such as `/{organizationId}`. */
  readonly resource: string;
  /** The path as the client requested it, without the stage. */
  readonly path: string;
  readonly requestContext: ProxyEvent['requestContext'] & { readonly identity: { readonly sourceIp: string } };
}

/**
 * Reads a request header. Names are case-insensitive, but API Gateway keeps the client's spelling. Repeated headers are
 * joined with commas.
 */
export function header(event: Pick<ProxyEvent, 'multiValueHeaders'>, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const lines = Object.entries(event.multiValueHeaders ?? {}).flatMap(([key, values]) =>
    key.toLowerCase() === wanted ? (values ?? []) : [],
  );
  return lines.length > 0 ? lines.join(', ') : undefined;
}
