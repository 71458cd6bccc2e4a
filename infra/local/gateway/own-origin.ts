/** Names the origin of the local service where a deployment names its domain. */
import { formatSignInChallenge, PLAIN_CHALLENGE } from '#shared/access/challenge.ts';
import type { Api } from './api.ts';

const CHALLENGE_HEADER = 'gatewayresponse.header.WWW-Authenticate';

/** In the challenge of a 401. The origin of the local service is known only once it listens. */
export function nameOrigin(api: Api, origin: string): Api {
  const response = api.responses.get('UNAUTHORIZED');
  if (response?.responseParameters[CHALLENGE_HEADER] !== `'${PLAIN_CHALLENGE}'`) return api;
  const responseParameters = {
    ...response.responseParameters,
    [CHALLENGE_HEADER]: `'${formatSignInChallenge(origin)}'`,
  };
  return { ...api, responses: new Map(api.responses).set('UNAUTHORIZED', { ...response, responseParameters }) };
}
