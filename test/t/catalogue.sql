-- All objects of dlints in the catalogs of this database, one line per row, without object identifiers: if two
-- databases have the same lines, they have the same extension.  The upgrade tests compare them.  All columns are
-- included, so that those of later PostgreSQL versions are compared, too; only columns with identifiers are listed.
\set QUIET on
\pset format unaligned
\pset tuples_only on
SET search_path = pg_catalog;

CREATE TEMP VIEW member AS
SELECT d.classid, d.objid
FROM pg_depend AS d JOIN pg_extension AS e ON d.refobjid = e.oid
WHERE d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e' AND e.extname = 'dlints';

-- with array types, which are members since PostgreSQL 17
CREATE TEMP VIEW member_type AS
SELECT oid FROM pg_type
WHERE oid IN (SELECT objid FROM member WHERE classid = 'pg_type'::regclass)
   OR typelem IN (SELECT objid FROM member WHERE classid = 'pg_type'::regclass)
    AND typcategory = 'A';

CREATE TEMP VIEW line AS
SELECT 'extension' AS what, to_jsonb(e) - 'oid' || jsonb_build_object(
         'extowner', extowner::regrole, 'extnamespace', extnamespace::regnamespace) AS attributes
FROM pg_extension AS e WHERE extname = 'dlints'
UNION ALL
SELECT 'function ' || p.oid::regprocedure, to_jsonb(p) - 'oid' || jsonb_build_object(
         'pronamespace', pronamespace::regnamespace, 'proowner', proowner::regrole,
         'prolang', (SELECT lanname FROM pg_language AS l WHERE l.oid = prolang),
         'provariadic', provariadic::regtype, 'prosupport', prosupport::regproc,
         'prorettype', prorettype::regtype, 'proargtypes', proargtypes::regtype[],
         'proallargtypes', proallargtypes::regtype[],
         'prosqlbody', pg_get_function_sqlbody(p.oid),
         'proargdefaults', pg_get_function_arguments(p.oid))
FROM pg_proc AS p WHERE oid IN (SELECT objid FROM member WHERE classid = 'pg_proc'::regclass)
UNION ALL
SELECT 'aggregate ' || aggfnoid::regprocedure, to_jsonb(a) || jsonb_build_object(
         'aggfnoid', aggfnoid::regprocedure, 'aggtransfn', aggtransfn::regprocedure,
         'aggfinalfn', aggfinalfn::regprocedure, 'aggcombinefn', aggcombinefn::regprocedure,
         'aggserialfn', aggserialfn::regprocedure, 'aggdeserialfn', aggdeserialfn::regprocedure,
         'aggmtransfn', aggmtransfn::regprocedure, 'aggminvtransfn', aggminvtransfn::regprocedure,
         'aggmfinalfn', aggmfinalfn::regprocedure, 'aggsortop', aggsortop::regoperator,
         'aggtranstype', aggtranstype::regtype, 'aggmtranstype', aggmtranstype::regtype)
FROM pg_aggregate AS a
WHERE aggfnoid IN (SELECT objid FROM member WHERE classid = 'pg_proc'::regclass)
UNION ALL
SELECT 'type ' || t.oid::regtype, to_jsonb(t) - 'oid' || jsonb_build_object(
         'typnamespace', typnamespace::regnamespace, 'typowner', typowner::regrole,
         'typrelid', typrelid::regclass, 'typelem', typelem::regtype, 'typarray', typarray::regtype,
         'typbasetype', typbasetype::regtype,
         'typcollation', (SELECT collname FROM pg_collation AS c WHERE c.oid = typcollation),
         'typinput', typinput::regprocedure, 'typoutput', typoutput::regprocedure,
         'typreceive', typreceive::regprocedure, 'typsend', typsend::regprocedure,
         'typmodin', typmodin::regprocedure, 'typmodout', typmodout::regprocedure,
         'typanalyze', typanalyze::regprocedure)
FROM pg_type AS t WHERE oid IN (SELECT oid FROM member_type)
UNION ALL
SELECT format('cast from %s to %s', castsource::regtype, casttarget::regtype), to_jsonb(c) - 'oid'
  || jsonb_build_object(
         'castsource', castsource::regtype, 'casttarget', casttarget::regtype,
         'castfunc', castfunc::regprocedure)
FROM pg_cast AS c WHERE oid IN (SELECT objid FROM member WHERE classid = 'pg_cast'::regclass)
UNION ALL
SELECT 'operator ' || o.oid::regoperator, to_jsonb(o) - 'oid' || jsonb_build_object(
         'oprnamespace', oprnamespace::regnamespace, 'oprowner', oprowner::regrole,
         'oprleft', oprleft::regtype, 'oprright', oprright::regtype,
         'oprresult', oprresult::regtype,
         'oprcom', oprcom::regoperator, 'oprnegate', oprnegate::regoperator,
         'oprcode', oprcode::regprocedure,
         'oprrest', oprrest::regprocedure, 'oprjoin', oprjoin::regprocedure)
FROM pg_operator AS o
WHERE oid IN (SELECT objid FROM member WHERE classid = 'pg_operator'::regclass)
UNION ALL
SELECT pg_describe_object('pg_opfamily'::regclass, f.oid, 0), to_jsonb(f) - 'oid'
  || jsonb_build_object(
         'opfmethod', (SELECT amname FROM pg_am AS a WHERE a.oid = opfmethod),
         'opfnamespace', opfnamespace::regnamespace, 'opfowner', opfowner::regrole)
FROM pg_opfamily AS f
WHERE oid IN (SELECT objid FROM member WHERE classid = 'pg_opfamily'::regclass)
UNION ALL
SELECT pg_describe_object('pg_opclass'::regclass, c.oid, 0), to_jsonb(c) - 'oid'
  || jsonb_build_object(
         'opcmethod', (SELECT amname FROM pg_am AS a WHERE a.oid = opcmethod),
         'opcfamily', pg_describe_object('pg_opfamily'::regclass, opcfamily, 0),
         'opcnamespace', opcnamespace::regnamespace, 'opcowner', opcowner::regrole,
         'opcintype', opcintype::regtype, 'opckeytype', opckeytype::regtype)
FROM pg_opclass AS c WHERE oid IN (SELECT objid FROM member WHERE classid = 'pg_opclass'::regclass)
UNION ALL
SELECT pg_describe_object('pg_amop'::regclass, o.oid, 0),
  jsonb_build_object('purpose', amoppurpose, 'strategy', amopstrategy)
FROM pg_amop AS o
WHERE amopfamily IN (SELECT objid FROM member WHERE classid = 'pg_opfamily'::regclass)
UNION ALL
SELECT pg_describe_object('pg_amproc'::regclass, p.oid, 0), jsonb_build_object('number', amprocnum)
FROM pg_amproc AS p
WHERE amprocfamily IN (SELECT objid FROM member WHERE classid = 'pg_opfamily'::regclass)
UNION ALL
-- views, with their row types and rules
SELECT 'view ' || c.oid::regclass,
  jsonb_build_object('relkind', relkind, 'relowner', relowner::regrole, 'relacl', relacl,
         'reloptions', reloptions, 'relnamespace', relnamespace::regnamespace,
         'definition', pg_get_viewdef(c.oid),
         'columns', (
           SELECT jsonb_agg(jsonb_build_array(attname, atttypid::regtype, attacl) ORDER BY attnum)
           FROM pg_attribute WHERE attrelid = c.oid))
FROM pg_class AS c WHERE oid IN (SELECT objid FROM member WHERE classid = 'pg_class'::regclass)
UNION ALL
SELECT 'comment on ' || pg_describe_object(classoid, objoid, objsubid), to_jsonb(description)
FROM pg_description
WHERE (classoid, objoid) IN (SELECT classid, objid FROM member)
   OR classoid = 'pg_extension'::regclass
    AND objoid = (SELECT oid FROM pg_extension WHERE extname = 'dlints')
UNION ALL
SELECT 'initial privileges of ' || pg_describe_object(classoid, objoid, objsubid),
  to_jsonb(i) - '{classoid,objoid}'::text[]
FROM pg_init_privs AS i WHERE (classoid, objoid) IN (SELECT classid, objid FROM member)
UNION ALL
-- membership, and what needs what
SELECT pg_describe_object(classid, objid, objsubid) || ' needs '
  || pg_describe_object(refclassid, refobjid, refobjsubid),
       to_jsonb(deptype)
FROM pg_depend WHERE (classid, objid) IN (SELECT classid, objid FROM member)
UNION ALL
-- a kind of object that is not described above
SELECT 'UNKNOWN KIND ' || classid::regclass, to_jsonb(pg_describe_object(classid, objid, 0))
FROM member
WHERE classid NOT IN ('pg_proc'::regclass, 'pg_type'::regclass, 'pg_cast'::regclass,
  'pg_operator'::regclass,
                      'pg_opfamily'::regclass, 'pg_opclass'::regclass, 'pg_class'::regclass);

SELECT what || ': ' || attributes FROM line ORDER BY (what || attributes) COLLATE "C";
