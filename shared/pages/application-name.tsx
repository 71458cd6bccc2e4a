/** Names an application. The part that was checked stands before the name that it claims. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { AnswerPlace, Application } from '#shared/oauth/applications.ts';

/** Text from outside that may run from right to left. */
const Claimed = ({ name }: { readonly name: string }): Html => (
  <>
    “<bdi>{name}</bdi>”
  </>
);

const Host = ({ host }: { readonly host: string }): Html => (
  <code>
    <bdi>{host}</bdi>
  </code>
);

/** The name in headings and tables. */
export const ApplicationName = ({ kind, host, name }: Application): Html => (
  <>
    {kind === 'host' && host !== undefined && <Host host={host} />}
    {kind === 'own' && 'The command line of Rundown'}
    {kind === 'registered' && 'An application that registered itself'}
    {kind !== 'own' && name !== undefined && (
      <>
        {kind === 'host' ? ', which calls itself ' : ' as '}
        <Claimed name={name} />
        {kind === 'host' && ','}
      </>
    )}
  </>
);

/** The proof behind the name. */
export function applicationProof({ kind, name }: Application): Child {
  if (kind === 'own')
    return 'Continue only if you started npm run login yourself: any program on this computer can ask with this name.';
  const claim = name === undefined ? 'It claims no name.' : 'Nobody checked the name in quotes.';
  if (kind === 'registered') return `${claim} Continue only if you started this connection yourself.`;
  return `It proved that it belongs to this host. ${claim}`;
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
