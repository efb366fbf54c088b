-- So do texts of rules.
SELECT {s}.try_texts(NULL, '{}');
