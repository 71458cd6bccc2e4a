/** §5.1 The API keys of an organization, without their values. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ListedApiKey } from '#shared/organizations/list-api-keys.ts';
import { FullTime } from './format.tsx';

interface Props {
  readonly keys: readonly ListedApiKey[];
  readonly organizationId: string;
}

export const ApiKeysPage = ({ keys, organizationId }: Props): Html => (
  <>
    <h1>API keys</h1>
    <p>A key belongs to the organization, not to a person. Reporters use a Read &amp; Write key as their record key.</p>
    <p>Your operator creates a key with this command, which shows its value once:</p>
    <pre>{`npm run admin -- keys create --organization ${organizationId} --label CI --level readWrite`}</pre>
    {keys.length === 0 ? <p class="notice">There is no key yet.</p> : <KeyTable keys={keys} />}
  </>
);

const KeyTable = ({ keys }: Pick<Props, 'keys'>): Html => (
  <section class="scroll" tabindex={0} aria-label="API keys">
    <table>
      <caption>Oldest first. Values are shown only at creation</caption>
      <thead>
        <tr>
          <th scope="col">Label</th>
          <th scope="col">Level</th>
          <th scope="col">Ends with</th>
          <th scope="col" class="wide">
            Created
          </th>
        </tr>
      </thead>
      <tbody>
        {keys.map(({ label, level, lastFour, createdAt }) => (
          <tr>
            <th scope="row">{label}</th>
            <td>{level === 'readWrite' ? 'Read & Write' : 'Read Only'}</td>
            <td>
              <code>…{lastFour}</code>
            </td>
            <td class="wide">
              <FullTime at={createdAt} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </section>
);
