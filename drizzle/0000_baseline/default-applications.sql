-- The default OAuth applications (src/domain/identity/oauth/default-applications.ts). They belong to nobody, and nobody knows a secret
-- of them: the hash is that of a random value.
INSERT INTO "oauth_application" ("name", "client_id", "client_secret_hash", "confidential", "redirect_uris")
	SELECT "name", "client_id", sha256(gen_random_uuid()::text::bytea), false, ARRAY['http://127.0.0.1']
	FROM (VALUES
		('git-credential-oauth', 'a4792ccc-144e-407e-86c9-5e7d8d9c3269'),
		('Git Credential Manager', 'e90ee53c-94e2-48ac-9358-a874fb9e0662'),
		('tea', 'd57cb8c4-630c-4168-8324-ec79935e18d4')
	) AS "known" ("name", "client_id");
