/** §5.1 Display names of the access levels of API keys. */
import type { ApiKeyLevel } from '#shared/model/organizations/api-key.ts';

export const API_KEY_LEVELS = ['readWrite', 'readOnly'] as const satisfies readonly ApiKeyLevel[];

export const getLevelName = (level: ApiKeyLevel): string => (level === 'readWrite' ? 'Read & Write' : 'Read Only');
