/** What a function may do with rows, files and secrets. Its IAM role is derived from it. */
import type { RowKind } from '#shared/engine/table/entity.ts';

export interface Access {
  readonly table: 'none' | 'read' | 'readUpdate' | 'readWrite';
  /** The kinds of table rows that the function may read, in addition to those in `writes`. Default: all kinds. */
  readonly reads?: readonly RowKind[];
  /** Kinds of rows that may be written. Default: all but guarded ones, which determine who may do what. */
  readonly writes?: readonly RowKind[];
  /** Guarded kinds that may be written, too. Guarded rows determine who may do what. */
  readonly alsoWrites?: readonly RowKind[];
  /**
   * `read` and `write` allow presigned links. `confirm` lets the function itself read, write and delete files, and
   * detect whether a file is missing. `submit` allows storing report files, creating links to upload them, and storing
   * files of tests. `import` allows reading and deleting report files, detecting whether one is missing, and storing
   * files of tests. `list` allows reading the names and sizes of all files. `cacheRead` allows reading and deleting cache
   * objects, and `cacheWrite` allows storing them. `exportWrite` allows storing and deleting exports, and `exportDelete`
   * allows deleting them.
   */
  readonly artifacts:
    | 'none'
    | 'read'
    | 'write'
    | 'readWrite'
    | 'delete'
    | 'readDelete'
    | 'confirm'
    | 'submit'
    | 'import'
    | 'list'
    | 'cacheRead'
    | 'cacheWrite'
    | 'exportWrite'
    | 'exportDelete';
  /** To credentials of notifications in Parameter Store. With `write`, they cannot be read. Default: none. */
  readonly secrets?: 'read' | 'write';
  /**
   * §5.2 Access to the credentials of issue trackers in Parameter Store, and to the network of private trackers. A
   * function with `write` can neither read them nor reach that network. Default: none.
   */
  readonly trackers?: 'read' | 'write' | 'readWrite';
  /** To the client secrets of companies' identity providers in Parameter Store. Default: none. */
  readonly providers?: 'read' | 'write';
  /** To the client secrets of this deployment's own providers in Parameter Store. Default: none. */
  readonly signInSecrets?: 'read';
}
