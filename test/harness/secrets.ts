/** Matches complete credentials: API keys, tokens, invitations and signing secrets. */
const SECRET = /rdn_[a-z]{2,8}_[0-9A-Za-z]{42}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}\.[\w-]{16,}|whsec_[0-9A-Za-z+/]{32}/;

/**
 * Throws if a text that others can see contains a credential. The error says where the credential is, but does not
 * contain it.
 */
export function refuseSecrets(where: string, text: string): void {
  const found = SECRET.exec(text);
  if (!found) return;
  throw new Error(
    `${where} contains a credential. Remove it. The text before it is: ${text.slice(Math.max(0, found.index - 80), found.index)}`,
  );
}
