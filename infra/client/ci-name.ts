/** The name of the CI system. `ci-info` reads the variables of this process. */
import ci from 'ci-info';

export const getCI = (): string | null => ci.id ?? null;
