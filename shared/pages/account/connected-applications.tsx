/** §5.3 The OAuth applications that act for a person. */
import type { Html } from '#shared/engine/html/html.ts';
import type { ListedGrant } from '#shared/model/oauth/oauth-grant.ts';
import { describeApplication } from '#shared/oauth/applications.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { Ago, FullTime } from '#shared/pages/design/format.tsx';
import { ApplicationName } from './application-name.tsx';

interface Props {
  readonly grants: readonly ListedGrant[];
  readonly action: string;
  /** Returns the name of the organization of a grant. Omit this function if all grants belong to one organization. */
  readonly organizationOf?: (grant: ListedGrant) => string;
  readonly origin: string;
  readonly now: number;
}

export const ConnectedApplications = ({ grants, action, organizationOf, origin, now }: Props): Html => (
  <DataTable
    label="Connected applications"
    caption="A disconnected application keeps its access for at most one hour"
    columns={['Application', 'Access', ...wide('Connected', 'Last renewed', 'Expires'), 'Disconnect']}
  >
    {grants.map((grant) => (
      <tr>
        <th scope="row">
          <ApplicationName {...describeApplication(grant)} />
        </th>
        <td>
          {grant.resource === origin ? 'REST API' : 'MCP server'}
          {organizationOf && ` in ${organizationOf(grant)}`}
          <br />
          <small>{grant.scopes.join(', ')}</small>
        </td>
        <td class="wide">
          <FullTime at={grant.createdAt} />
        </td>
        <td class="wide">{grant.renewedAt === undefined ? 'never' : <Ago at={grant.renewedAt} now={now} />}</td>
        <td class="wide">
          <FullTime at={grant.expiresAt * 1000} />
        </td>
        <td>
          <PostButton
            action={action}
            fields={{ grant: grant.hash }}
            class="danger small"
            label={`Disconnect ${formatApplicationLabel(grant)}`}
          >
            Disconnect
          </PostButton>
        </td>
      </tr>
    ))}
  </DataTable>
);

function formatApplicationLabel(grant: ListedGrant): string {
  const { host, name } = describeApplication(grant);
  return host ?? (name === undefined ? 'this application' : `the application “${name}”`);
}
