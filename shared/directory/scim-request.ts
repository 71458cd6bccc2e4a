/** A request of a directory, and its answer. */

import type { DirectoryActor } from '#shared/access/actor.ts';
import { decodeBytes, getEncodedBody } from '#shared/engine/http/body.ts';
import type { RouteEvent } from '#shared/engine/http/event.ts';
import { refuseIntricate } from '#shared/engine/http/json-cost.ts';
import { parseJson } from '#shared/engine/json.ts';
import type { Services } from '#shared/services.ts';
import { invalidSyntax } from './errors.ts';
import { DIRECTORY_LIMITS } from './limits.ts';
import type { ListQuery } from './lists.ts';
import { type Projection, project } from './projection.ts';
import { type Resource, SCIM_PATH } from './resources.ts';

export interface ScimRequest {
  readonly services: Services;
  readonly actor: DirectoryActor;
  readonly event: RouteEvent;
  readonly query: Projection & ListQuery;
  readonly ifMatch: string | undefined;
}

export interface ScimAnswer {
  readonly statusCode: 200 | 201 | 204;
  readonly body?: object;
  readonly etag?: string;
  readonly location?: string;
}

/** Unknown parameters are ignored, because directories add their own to the address of the service. */
export const readQuery = (event: RouteEvent): ScimRequest['query'] => ({
  filter: findParameter(event, 'filter'),
  startIndex: findParameter(event, 'startIndex'),
  count: findParameter(event, 'count'),
  attributes: findParameter(event, 'attributes'),
  excludedAttributes: findParameter(event, 'excludedAttributes'),
});

function findParameter({ multiValueQueryStringParameters }: RouteEvent, name: string): string | undefined {
  const parameters = Object.entries(multiValueQueryStringParameters ?? {});
  const [, values] = parameters.find(([key]) => key.toLowerCase() === name.toLowerCase()) ?? [];
  return values?.[0];
}

/** The body is parsed only where a method needs one. */
export function readBody(event: RouteEvent): unknown {
  const bytes = decodeBytes(getEncodedBody(event), DIRECTORY_LIMITS.bodyBytes);
  if (bytes.length > 0) refuseIntricate(bytes);
  const body = parseJson(bytes.toString('utf8'));
  if (body === undefined) throw invalidSyntax('The body is not valid JSON');
  return body;
}

/** What a path answers, by method. */
export type Methods = Readonly<Partial<Record<string, () => Promise<ScimAnswer> | ScimAnswer>>>;

export function answerResource(
  { services, query }: ScimRequest,
  resource: Resource,
  statusCode: 200 | 201,
  kind: 'Users' | 'Groups',
): ScimAnswer {
  return {
    statusCode,
    body: project(resource, query),
    etag: resource.meta.version,
    location: `${services.origin}${SCIM_PATH}/${kind}/${resource.id}`,
  };
}
