/** Shows the name of an OAuth application: its host, if that is verified, and the unverified name that it claims. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { AnswerPlace, Application } from '#shared/oauth/applications.ts';

const Host = ({ host }: { readonly host: string }): Html => (
  <code>
    <bdi>{host}</bdi>
  </code>
);

/** The unverified name is in a `bdi` element, because it may contain right-to-left text. */
export const ApplicationName = ({ kind, host, name }: Application): Html => (
  <>
    {kind === 'host' && host !== undefined && <Host host={host} />}
    {kind === 'own' && 'The Rundown command line'}
    {kind === 'registered' && 'An application that registered itself'}
    {kind !== 'own' && name !== undefined && (
      <>
        {kind === 'host' ? ' (which calls itself ' : ' as '}“<bdi>{name}</bdi>”{kind === 'host' && ')'}
      </>
    )}
  </>
);

/** How far the person can trust the name of the application. */
export function explainTrust({ kind, name }: Application): Child {
  if (kind === 'own')
    return 'Continue only if you started npm run login yourself: any program on this computer can claim this name.';
  const claim = name === undefined ? 'It gives no name.' : 'The name in quotes is not verified.';
  if (kind === 'registered') return `${claim} Continue only if you started this connection yourself.`;
  return `The host is verified. ${claim}`;
}

export const AnswerPlaceName = (place: AnswerPlace): Html => (
  <>
    {place.kind === 'host' && <Host host={place.host} />}
    {place.kind === 'computer' && place.scheme === undefined && 'a program on this computer'}
    {place.kind === 'computer' && place.scheme !== undefined && (
      <>
        the program on this computer that opens <Host host={place.scheme} /> links
      </>
    )}
  </>
);
