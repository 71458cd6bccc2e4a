/** The part of a REST API proxy event (payload v1) that the engine reads, whatever else the platform adds. */
export interface ProxyEvent {
  readonly httpMethod: string;
  readonly headers: Readonly<Record<string, string | undefined>> | null;
  readonly multiValueHeaders: Readonly<Record<string, string[] | undefined>> | null;
  readonly multiValueQueryStringParameters: Readonly<Record<string, string[] | undefined>> | null;
  readonly pathParameters: Readonly<Record<string, string | undefined>> | null;
  readonly requestContext: {
    readonly requestId: string;
    readonly authorizer?: Readonly<Record<string, unknown>> | null;
  };
  /** Text as it came; parsed JSON once the engine's parser has run. */
  readonly body: unknown;
  readonly isBase64Encoded: boolean;
}

/** Header names are case-insensitive; the gateway keeps the caller's spelling. */
export function header(event: Pick<ProxyEvent, 'headers'>, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return Object.entries(event.headers ?? {}).find(([key]) => key.toLowerCase() === wanted)?.[1];
}
