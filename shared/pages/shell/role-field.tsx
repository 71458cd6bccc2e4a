/** Chooses a role. Each is explained in a line, so that nobody gives more access than they mean to. */
import { ROLE_MEANINGS } from '#shared/access/role-meanings.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { CheckGroup, RadioField } from '#shared/pages/design/fields.tsx';
import { getRoleName } from './role-names.ts';

/** From the least powerful role to the most powerful one, because each may do what the one before it may. */
export const RoleField = ({ value }: { readonly value: string }): Html => (
  <CheckGroup legend="Role" name="role" problem={undefined}>
    {ROLES.toReversed().map((role) => (
      <RadioField
        name="role"
        value={role}
        checked={role === value}
        label={
          <>
            <strong>{getRoleName(role)}</strong>
            <br />
            <small>{ROLE_MEANINGS[role]}</small>
          </>
        }
      />
    ))}
  </CheckGroup>
);
