--liquibase formatted sql

--changeset application:1
CREATE TABLE own_table (id INT PRIMARY KEY);
