/** Recognizes a 403 of which neither the service nor the API key is the reason. */
import { FIREWALL_CODE, FIREWALL_MESSAGE } from '#shared/engine/errors.ts';
import { findText } from './json.ts';

/**
 * Explains who refused a request, if that was not the service: the firewall of the deployment (AWS WAF), or another one
 * on the way. All errors of the service have the members `status` and `error`; the page of a firewall has not. Returns
 * `undefined` for answers of the service.
 */
export function explainFirewall({ status, headers }: Response, body: unknown): string | undefined {
  if (status !== 403) return undefined;
  const [code, error] = [findText(body, 'code'), findText(body, 'error')];
  if (code === FIREWALL_CODE) return error ?? FIREWALL_MESSAGE;
  if (findText(body, 'status') !== 'FAILED' || error === undefined) return FOREIGN;
  // For a missing permission, API Gateway always names the permission in this header.
  if (code === 'insufficient_scope' && !headers.has('www-authenticate')) return NETWORK;
  return undefined;
}

const FOREIGN =
  'The answer 403 is not from Rundown: a firewall or a proxy on the way refused the request. The API key is not the reason. Ask whoever operates Rundown or this network to let it pass';
const NETWORK =
  'Rundown accepts no requests from the network of this machine. The API key is not the reason. Ask whoever operates Rundown to allow the address of this network';
