/** What a credential of the service looks like, whole: API keys, personal tokens, invitations, access tokens, webhooks' signing secrets. */
const SECRET = /rdn_[a-z]{3}_[0-9A-Za-z]{42}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}|whsec_[0-9A-Za-z+/]{32}/;

/** Throws when a text that others may read holds one. Shows where it stands, not what it is. */
export function refuseSecrets(where: string, text: string): void {
  const found = SECRET.exec(text);
  if (!found) return;
  throw new Error(`${where} holds a credential, after: ${text.slice(Math.max(0, found.index - 80), found.index)}`);
}
