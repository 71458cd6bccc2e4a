/** The members of a REST API proxy event (payload v1) that the engine reads. */
export interface ProxyEvent {
  readonly httpMethod: string;
  readonly multiValueHeaders: Readonly<Record<string, string[] | undefined>> | null;
  readonly multiValueQueryStringParameters: Readonly<Record<string, string[] | undefined>> | null;
  readonly pathParameters: Readonly<Record<string, string | undefined>> | null;
  readonly requestContext: {
    readonly requestId: string;
    readonly authorizer?: Readonly<Record<string, unknown>> | null;
  };
  /** The body: text on arrival, parsed JSON after the engine's parser. */
  readonly body: unknown;
  readonly isBase64Encoded: boolean;
}

/** An event of a function with several routes. */
export interface RouteEvent extends ProxyEvent {
  /** The declared path: `/{organizationId}`. */
  readonly resource: string;
  /** The path as sent, without the stage. */
  readonly path: string;
  readonly requestContext: ProxyEvent['requestContext'] & { readonly identity: { readonly sourceIp: string } };
}

/**
 * Header names are case-insensitive, and the gateway keeps the client's spelling. Joins repeated headers to one list.
 */
export function header(event: Pick<ProxyEvent, 'multiValueHeaders'>, name: string): string | undefined {
  const wanted = name.toLowerCase();
  const lines = Object.entries(event.multiValueHeaders ?? {}).flatMap(([key, values]) =>
    key.toLowerCase() === wanted ? (values ?? []) : [],
  );
  return lines.length > 0 ? lines.join(', ') : undefined;
}
