/** The parameters of an authorization request, after validation by oidc-provider. */
import * as z from 'zod';

export const RequestParameters = z.object({
  client_id: z.string(),
  redirect_uri: z.string(),
  resource: z.string(),
  scope: z.string(),
});
