/** Fields shared by the form for a new project and the form for the settings of a project. */
import type { Html } from '#shared/engine/html/html.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { TextField } from '#shared/pages/design/fields.tsx';

interface Props {
  readonly value: string | undefined;
  readonly problem: string | undefined;
}

export const ProjectNameField = (props: Props): Html => (
  <TextField label="Name" name="name" maxlength={ORGANIZATION_LIMITS.nameCharacters} required {...props} />
);

export const DefaultBranchField = (props: Props): Html => (
  <TextField
    label="Default branch"
    name="defaultBranchName"
    maxlength={MODEL_LIMITS.branchFilterCharacters}
    required
    {...props}
  />
);
